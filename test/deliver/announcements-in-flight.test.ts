import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AnnouncementsInFlight } from "../../src/deliver/announcements-in-flight.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { newRunId } from "../../src/run/ids.ts";

const NOTHING = new Set();
const id = newRunId();

beforeEach(() => {
	vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
	vi.useRealTimers();
});

function given(): AnnouncementsInFlight {
	const underway = new AnnouncementsInFlight(systemClock);
	vi.advanceTimersByTime(1000);
	underway.add(id);
	vi.advanceTimersByTime(1);
	return underway;
}

/** Looked at once a second, as the announcer does. */
function lookFor(
	underway: AnnouncementsInFlight,
	seconds: number,
	look: { atRest: boolean; held?: Set<unknown> },
): boolean {
	for (let second = 0; second < seconds; second++) {
		vi.advanceTimersByTime(1000);
		underway.forgetLost({ held: NOTHING, ...look });
	}
	return underway.has(id);
}

test("an announce that pi does not hold is lost once pi has been at rest for a while after it was given", () => {
	const underway = given();
	underway.piRested();
	expect(lookFor(underway, 5, { atRest: true })).toBe(true);
	expect(lookFor(underway, 1, { atRest: true })).toBe(false);
});

test("as long as pi is busy it is not, however often it came to rest before", () => {
	const underway = given();
	underway.piRested();
	expect(lookFor(underway, 600, { atRest: false })).toBe(true);
	expect(lookFor(underway, 5, { atRest: true })).toBe(true);
	expect(lookFor(underway, 1, { atRest: true })).toBe(false);
});

test("if pi never says that it came to rest, only after two minutes", () => {
	const underway = given();
	expect(lookFor(underway, 119, { atRest: true })).toBe(true);
	expect(lookFor(underway, 2, { atRest: true })).toBe(false);
});

test("one that pi holds is never lost, but only not yet on the disk", () => {
	const underway = given();
	underway.piRested();
	expect(lookFor(underway, 600, { atRest: true, held: new Set([id]) })).toBe(true);
	underway.arrived(id);
	expect(underway.size).toBe(0);
});
