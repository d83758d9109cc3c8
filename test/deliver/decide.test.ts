import { describe, expect, test } from "vitest";
import {
	type DeliverySnapshot,
	type DeliveryState,
	decideDeliveries,
	given,
	NOTHING_GIVEN,
	type Owed,
} from "../../src/deliver/decide.ts";
import { newRunId, type RunId } from "../../src/run/ids.ts";

const ID = newRunId();
const NOW = 1_000_000;
const AT_REST = { isInteractive: true, isIdle: true, hasPending: false, isCalling: false };
const NOTHING: DeliverySnapshot = {
	open: 0,
	awaited: 0,
	owed: [],
	held: new Set(),
	onDisk: new Set(),
	memoryIsLost: false,
	talk: AT_REST,
};
const OWED: Owed = { id: ID, isOurs: true, wantsSilence: false };
const owed = (more: Partial<Owed> = {}): DeliverySnapshot => ({ ...NOTHING, owed: [{ ...OWED, ...more }] });
const told = { held: new Set([ID]), onDisk: new Set([ID]) };
const GATHERED: DeliveryState = {
	...NOTHING_GIVEN,
	gathering: { since: NOW, until: NOW + 1000, known: 1, countAt: NOW },
};

const does = (state: DeliveryState, seen: DeliverySnapshot): string[] =>
	decideDeliveries(state, seen, NOW).actions.map((action) => action.do);

describe("an outcome that the session has not been told", () => {
	test.each<[string, DeliverySnapshot, string[]]>([
		["is announced when pi is idle", owed(), ["announce"]],
		["is another process's to announce", owed({ isOurs: false }), []],
		["is told without a turn if the user stopped it", owed({ stopped: "whole" }), ["tell what the user stopped"]],
		["waits for the others that the same command stopped", owed({ stopped: "underway" }), []],
		["is told of its stop when pi is idle", { ...owed({ stopped: "whole" }), talk: { ...AT_REST, isIdle: false } }, []],
		["is skipped if the child wants silence", owed({ wantsSilence: true }), ["skip"]],
		["is left alone by one that may not tell it, silent or not", owed({ isOurs: false, wantsSilence: true }), []],
		["waits while pi is busy", { ...owed(), talk: { ...AT_REST, isIdle: false } }, []],
		["waits while a call has not returned, whatever pi says", { ...owed(), talk: { ...AT_REST, isCalling: true } }, []],
		[
			"waits for a session that is opened again, where pi exits",
			{ ...owed(), talk: { ...AT_REST, isInteractive: false } },
			[],
		],
		["is paid if the file tells of it", { ...owed(), ...told }, ["settle"]],
		["is paid if the file tells of it, silent or not", { ...owed({ wantsSilence: true }), ...told }, ["settle"]],
		["is not told twice while the file may still be written", { ...owed(), held: new Set([ID]) }, []],
		["is told again if pi will never write it", { ...owed(), held: new Set([ID]), memoryIsLost: true }, ["announce"]],
	])("%s", (_what, seen, expected) => {
		expect(does(GATHERED, seen)).toEqual(expected);
	});

	test("waits while a prompt is on its way", () => {
		expect(does({ ...GATHERED, promptUntil: NOW }, owed())).toEqual([]);
		expect(does({ ...GATHERED, promptUntil: NOW - 1 }, owed())).toEqual(["announce"]);
	});
});

describe("announces that come close together", () => {
	const several = (count: number): DeliverySnapshot => ({
		...NOTHING,
		owed: Array.from({ length: count }, () => ({ ...OWED, id: newRunId() })),
	});

	test("are one message: the first waits for others, and those for others again", () => {
		const first = decideDeliveries(NOTHING_GIVEN, several(1), NOW);
		expect([first.actions, first.againInMs]).toEqual([[], 200]);
		const hinted = decideDeliveries(first.state, several(2), NOW + 50);
		expect([hinted.actions, hinted.againInMs]).toEqual([[], 150]);
		const more = decideDeliveries(hinted.state, several(2), NOW + 200);
		expect([more.actions, more.againInMs]).toEqual([[], 200]);
		const all = decideDeliveries(more.state, several(2), NOW + 400);
		expect(all.actions).toEqual([
			{ do: "announce", ids: expect.arrayContaining([expect.any(String)]), maxBytes: 100_000 },
		]);
		expect(all.state.gathering).toBeUndefined();
	});

	test("are not held up for longer than a second and a half", () => {
		let { state, actions } = decideDeliveries(NOTHING_GIVEN, several(1), NOW);
		let now = NOW;
		for (let count = 2; actions.length === 0; count++) {
			now += 200;
			({ state, actions } = decideDeliveries(state, several(count), now));
		}
		expect(now - NOW).toBe(1600);
	});

	test("are waited for again when pi became busy in the meantime", () => {
		const busy = decideDeliveries(GATHERED, { ...owed(), talk: { ...AT_REST, isIdle: false } }, NOW);
		expect(busy.state.gathering).toBeUndefined();
	});
});

describe("an announce that pi was given", () => {
	/** Looked at once a second. Whether it is still taken to be on its way. */
	function afterSeconds(state: DeliveryState, seconds: number, seen: Partial<DeliverySnapshot>, from = NOW) {
		let latest = state;
		for (let second = 1; second <= seconds; second++) {
			({ state: latest } = decideDeliveries(latest, { ...NOTHING, ...seen }, from + second * 1000));
		}
		return latest;
	}
	const isInFlight = ({ inFlight }: DeliveryState, id: RunId = ID): boolean => inFlight.has(id);
	const GIVEN = given(NOTHING_GIVEN, [ID], NOW);
	const RESTED: DeliveryState = { ...GIVEN, restedAt: NOW + 1 };
	const busy = { talk: { ...AT_REST, isIdle: false } };

	test("is paid once the file tells of it, and not before", () => {
		expect(does(GIVEN, { ...NOTHING, held: new Set([ID]) })).toEqual([]);
		const arrived = decideDeliveries(GIVEN, { ...NOTHING, ...told }, NOW);
		expect(arrived.actions).toEqual([{ do: "settle", ids: [ID] }]);
		expect(isInFlight(arrived.state)).toBe(false);
	});

	test("is lost if pi does not hold it, once pi has been at rest for a while after it was given", () => {
		expect(isInFlight(afterSeconds(RESTED, 5, {}))).toBe(true);
		const lost = afterSeconds(RESTED, 6, {});
		expect(isInFlight(lost)).toBe(false);
	});

	test("is looked for again at once when it turns out to be lost", () => {
		expect(decideDeliveries(RESTED, NOTHING, NOW + 6000).againInMs).toBe(0);
	});

	test("is not lost while pi is busy, however often it came to rest before", () => {
		const still = afterSeconds(RESTED, 600, busy);
		expect(isInFlight(still)).toBe(true);
		const from = NOW + 600_000;
		expect(isInFlight(afterSeconds(still, 5, {}, from))).toBe(true);
		expect(isInFlight(afterSeconds(still, 6, {}, from))).toBe(false);
	});

	test("is not lost while pi has messages that it holds back", () => {
		expect(isInFlight(afterSeconds(RESTED, 100, { talk: { ...AT_REST, hasPending: true } }))).toBe(true);
	});

	test("is lost after two minutes if pi never says that it came to rest", () => {
		expect(isInFlight(afterSeconds(GIVEN, 119, {}))).toBe(true);
		expect(isInFlight(afterSeconds(GIVEN, 121, {}))).toBe(false);
	});

	test("is never lost while pi holds it and may still write it", () => {
		expect(isInFlight(afterSeconds(RESTED, 600, { held: new Set([ID]) }))).toBe(true);
		expect(isInFlight(afterSeconds(RESTED, 6, { held: new Set([ID]), memoryIsLost: true }))).toBe(false);
	});

	test("is waited for twice as long each time that it is lost", () => {
		const again = { ...given(afterSeconds(RESTED, 6, {}), [ID], NOW), restedAt: NOW + 1 };
		expect(isInFlight(afterSeconds(again, 10, {}))).toBe(true);
		expect(isInFlight(afterSeconds(again, 11, {}))).toBe(false);
	});
});

describe("when to look again", () => {
	test.each<[string, Partial<DeliverySnapshot>, DeliveryState, number | undefined]>([
		["at rest", {}, NOTHING_GIVEN, 5000],
		["in a pi that exits", { talk: { ...AT_REST, isInteractive: false } }, NOTHING_GIVEN, undefined],
		["with an open run", { open: 1 }, NOTHING_GIVEN, 1000],
		["with a run that a call returns", { awaited: 1 }, NOTHING_GIVEN, 1000],
		["with an announce on its way", {}, given(NOTHING_GIVEN, [ID], NOW), 1000],
		["with what another process may tell", { owed: [{ ...OWED, isOurs: false }] }, NOTHING_GIVEN, 1000],
		[
			"with an open run in a pi that exits",
			{ open: 1, talk: { ...AT_REST, isInteractive: false } },
			NOTHING_GIVEN,
			1000,
		],
	])("%s", (_what, seen, state, expected) => {
		expect(decideDeliveries(state, { ...NOTHING, ...seen }, NOW).againInMs).toBe(expected);
	});
});

describe("a pi that is about to exit", () => {
	const talk = { ...AT_REST, isInteractive: false, isIdle: false };
	const draining = (deadline: number, sayAt = NOW + 1000): DeliveryState => ({
		...NOTHING_GIVEN,
		drain: { deadline, sayAt },
	});
	test.each<[string, DeliveryState, Partial<DeliverySnapshot>, string[], number | undefined]>([
		["waits for open runs", draining(NOW + 9000), { open: 1 }, [], 500],
		["says so after a while", draining(NOW + 9000, NOW), { open: 1 }, ["say what is awaited"], 500],
		["looks once more when its time is up", draining(NOW + 30), { open: 1 }, [], 30],
		[
			"gets what has ended, at once and though pi is busy",
			draining(NOW + 9000),
			{ open: 1, owed: [OWED] },
			["deliver due"],
			1000,
		],
		[
			"waits on though the user stopped one of several",
			draining(NOW + 9000),
			{ open: 1, owed: [{ ...OWED, stopped: "whole" }] },
			[],
			500,
		],
		["has nothing to wait for", draining(NOW + 9000), {}, ["deliver due"], undefined],
		["says what is left when its time is up", draining(NOW), { open: 2 }, ["say what is left", "deliver due"], 1000],
		["still gets what has ended when its time is up", draining(NOW), { open: 2, owed: [OWED] }, ["deliver due"], 1000],
	])("%s", (_what, state, seen, expected, againInMs) => {
		const decided = decideDeliveries(state, { ...NOTHING, talk, ...seen }, NOW);
		expect(decided.actions.map((action) => action.do)).toEqual(expected);
		expect(decided.againInMs).toBe(againInMs);
		expect(decided.state.drain === undefined).toBe(expected.includes("deliver due"));
	});

	test("says so every five seconds", () => {
		const first = decideDeliveries(draining(NOW + 60_000, NOW), { ...NOTHING, talk, open: 1 }, NOW);
		expect(first.state.drain?.sayAt).toBe(NOW + 5000);
	});
});
