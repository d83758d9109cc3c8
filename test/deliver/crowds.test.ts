import { describe, expect, test } from "vitest";
import { type DeliverySnapshot, decideDeliveries, given, NOTHING_GIVEN } from "../../src/deliver/decide.ts";
import { shareOfEach } from "../../src/deliver/fit.ts";
import { spentOnTurn } from "../../src/deliver/gather.ts";
import { newRunId } from "../../src/run/ids.ts";

interface Turn {
	at: number;
	runs: number;
	maxBytes: number;
}

interface Story {
	/** When each run ends. */
	endings: readonly number[];
	/** How many more never end. */
	endless?: number;
	/** How long the parent is busy with a turn. */
	turnMs?: number;
	/** What the announce of a run holds. */
	bytes?: number;
	/** A pi that waits for its runs before it exits. */
	draining?: boolean;
}

/** Looks as the parent's loop does, at each ending and when a decision says so, and writes down the turns. */
function turnsOf({ endings, endless = 0, turnMs = 0, bytes = 0, draining = false }: Story): Turn[] {
	const runs = endings.map((endsAt) => ({ id: newRunId(), endsAt }));
	const told = new Set<string>();
	const turns: Turn[] = [];
	const drain = { deadline: 1_000_000, sayAt: 1_000_000 };
	let state = NOTHING_GIVEN;
	let busyUntil = 0;
	let now = 0;
	while (told.size < runs.length) {
		if (draining && now >= busyUntil) state = { ...state, drain };
		const ended = runs.filter(({ id, endsAt }) => endsAt <= now && !told.has(id));
		const seen: DeliverySnapshot = {
			open: runs.filter(({ endsAt }) => endsAt > now).length + endless,
			awaited: 0,
			owed: ended.map(({ id }) => ({ id, isOurs: true, wantsSilence: false })),
			held: new Set(),
			onDisk: new Set([...told]),
			memoryIsLost: false,
			talk: { isInteractive: !draining, isIdle: now >= busyUntil, hasPending: false, isCalling: false },
		};
		const decided = decideDeliveries(state, seen, now);
		state = decided.state;
		for (const action of decided.actions) {
			if (action.do !== "announce" && action.do !== "deliver due") continue;
			if (action.ids.length === 0) continue;
			turns.push({ at: now, runs: action.ids.length, maxBytes: action.maxBytes });
			state = spentOnTurn(given(state, action.ids, now), Math.min(bytes * action.ids.length, action.maxBytes));
			for (const id of action.ids) told.add(id);
			busyUntil = now + turnMs;
		}
		const nextEnding = Math.min(...runs.map(({ endsAt }) => endsAt).filter((endsAt) => endsAt > now));
		const rests = busyUntil > now ? busyUntil : Number.POSITIVE_INFINITY;
		now = Math.min(now + Math.max(decided.againInMs ?? 1000, 1), nextEnding, rests);
	}
	return turns;
}

const times = (count: number, at: (index: number) => number) => Array.from({ length: count }, (_, index) => at(index));

describe("a hundred runs that end within ten seconds", () => {
	test.each<[string, readonly number[]]>([
		["all at the same moment", times(100, () => 5000)],
		["one every tenth of a second", times(100, (index) => 5000 + index * 100)],
		["one, and the others at the end", [5000, ...times(99, () => 15_000)]],
		["in four bursts", times(100, (index) => 5000 + (index % 4) * 3300)],
		["all but five at once, and those one by one", [...times(95, () => 5000), 7000, 9000, 11_000, 13_000, 15_000]],
	])("%s, are at most two turns of the parent, together at most 100 KB", (_what, endings) => {
		const stories: Omit<Story, "endings">[] = [{}, { turnMs: 700 }, { turnMs: 6000 }, { turnMs: 30_000 }];
		for (const story of stories.flatMap((each) => [each, { ...each, draining: true }])) {
			const turns = turnsOf({ endings, bytes: 20_000, ...story });
			expect(turns.length).toBeLessThanOrEqual(2);
			expect(turns.reduce((sum, { runs }) => sum + runs, 0)).toBe(100);
			expect(turns.reduce((sum, { maxBytes, runs }) => sum + Math.min(maxBytes, runs * 20_000), 0)).toBeLessThanOrEqual(
				100_000,
			);
			// Those of the second turn have room for a status, the first lines and the name of a file.
			for (const { runs, maxBytes } of turns) expect(maxBytes / runs).toBeGreaterThanOrEqual(900);
		}
	});

	test("are told as soon as the last of them has finished", () => {
		expect(turnsOf({ endings: times(100, (index) => 5000 + index * 20) }).at(-1)?.at).toBeLessThanOrEqual(7200);
	});

	test("keep the session waiting for eleven seconds at most while others continue", () => {
		const turns = turnsOf({ endings: [5000, 6000, 8000], endless: 50 });
		expect(turns.map(({ at, runs }) => [at, runs])).toEqual([
			[5200, 1],
			[16_000, 2],
		]);
	});
});

describe("without a crowd", () => {
	test.each<[string, Story, number[]]>([
		["a single run is announced as quickly as ever", { endings: [5000] }, [5200]],
		["and so is one of a few", { endings: [5000, 6000, 7000], endless: 5 }, [5200, 6200, 7200]],
		["those that end close together are one turn", { endings: [5000, 5100, 5300] }, [5600]],
		["a pi that exits is told at once", { endings: [5000, 6000], draining: true }, [5000, 6000]],
	])("%s", (_what, story, expected) => {
		const turns = turnsOf(story);
		expect(turns.map(({ at }) => at)).toEqual(expected);
		expect(turns.map(({ maxBytes }) => maxBytes)).toEqual(expected.map(() => 100_000));
	});

	test("a long report of a small crowd keeps nearly all the room that there is", () => {
		expect(turnsOf({ endings: [5000], endless: 9 })[0]?.maxBytes).toBeGreaterThan(90_000);
	});
});

test.each<[number[], number, number | undefined]>([
	[[10, 20, 30], 60, undefined],
	[[10, 20, 30], 50, 20],
	[[10, 100, 100], 110, 50],
	[[50, 50], 10, 5],
	[[], 10, undefined],
])("of reports of %j bytes, %i are shared as %s", (sizes, maxBytes, expected) => {
	expect(shareOfEach(sizes, maxBytes)).toBe(expected);
});
