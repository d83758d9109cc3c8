import { type Random, randomFrom } from "../faults/random.ts";
import type { PiVersion } from "../helpers/repository.ts";
import type { LedgerTroubleKind } from "./database.ts";
import { BEFORE_BEGIN } from "./process.ts";

/** What befalls a process: at its n-th effect of any kind, or at its n-th visit to a place. */
export type Fault = Mischief & Where;
type Mischief = { kind: "kill" } | { kind: "torn" } | { kind: "cut" } | { kind: "suspend"; forMs: number };
type Where = { point: number } | { place: string; nth: number };

/** What befalls the whole machine for a while, in virtual milliseconds since the beginning. */
export type Trouble =
	| { what: "ledger"; kind: LedgerTroubleKind; from: number; to: number }
	/** The folder of the hosts cannot be written to. */
	| { what: "hosts"; from: number; to: number }
	/** Session files cannot be appended to. */
	| { what: "disk"; from: number; to: number }
	| { what: "power cut"; from: number }
	| { what: "clock"; from: number; by: number };

export type Call =
	| { tool: "subagent"; agent: string; task: string; continues?: boolean }
	| { tool: "sessions_spawn"; agent: string; task: string; label: string }
	| { tool: "sessions_send"; label: string; message: string; withinMs: number };

/** One thing a user says. */
export interface Prompt {
	/** How long after the one before. */
	afterMs: number;
	calls: Call[];
	/** The user presses Esc. */
	abortAfterMs?: number;
	/** The user closes pi afterwards, and opens it again. */
	closes?: boolean;
}

export interface History {
	seed: number;
	laneLimit: number;
	maxAttempts: number;
	parents: Prompt[][];
	/** For each role: what befalls its first process, its second, … */
	faults: Record<string, Fault[][]>;
	troubles: Trouble[];
	/** Whose manners the conversations have. */
	pi: PiVersion;
	/** Whether the system tells when a process was started: macOS does not. */
	tellsStarts: boolean;
	/** How long a question stays open without a parent, if not for the usual time. */
	askMinutes?: number;
}

/** Everything that is decided beforehand. The order of simultaneous events follows from the seed too. */
export function planHistory(seed: number): History {
	const random = randomFrom(seed);
	// In one history of ten nothing goes wrong, and so nothing may be done twice.
	const calm = random.chance(0.1);
	const parents = random.pick([1, 1, 2, 2, 3]);
	const roles = [...Array.from({ length: parents }, (_, index) => `p${index}`), "host"];
	const history: History = {
		seed,
		pi: seed % 3 === 0 ? "1.5.0" : "0.87.1",
		laneLimit: random.between(1, 3),
		maxAttempts: random.chance(0.3) ? 2 : 10,
		parents: Array.from({ length: parents }, (_, index) => planPrompts(random, `p${index}`)),
		faults: Object.fromEntries(
			roles.map((role) => [
				role,
				Array.from({ length: role === "host" ? 6 : 3 }, () => (calm ? [] : planFaults(random, role))),
			]),
		),
		troubles: calm ? [] : planTroubles(random),
		tellsStarts: random.chance(0.65),
	};
	return seed % 4 === 3 ? withQuestions(history, random, { calm }) : history;
}

/** In one history of four there are children that ask. Drawn last, so that the others are what they were before. */
function withQuestions(history: History, random: Random, { calm }: { calm: boolean }): History {
	const task = (name: string): string => {
		const words = [`task ${name} turns=${random.between(0, 2)} ms=${random.between(1, 400)}`];
		words.push(`ask=${random.chance(0.2) ? random.between(3000, 20_000) : random.between(50, 3000)}`);
		if (random.chance(0.25)) words.push("declines");
		if (random.chance(0.15)) words.push(`stop=${random.between(50, 4000)}`);
		return words.join(" ");
	};
	const prompt = (parent: number, nth: number): Prompt => ({
		afterMs: random.between(0, 2000),
		calls: Array.from({ length: random.between(1, 2) }, (_, index): Call => {
			const name = `p${parent}-asks-${nth}-${index}`;
			if (random.chance(0.3)) return { tool: "subagent", agent: "asker", task: task(name) };
			return { tool: "sessions_spawn", agent: "asker", task: task(name), label: name };
		}),
		...(!calm && random.chance(0.3) && { closes: true }),
	});
	const parents = history.parents.map((prompts, parent) => [
		...Array.from({ length: random.between(1, 2) }, (_, nth) => prompt(parent, nth)),
		...prompts,
	]);
	return { ...history, parents, ...(!calm && random.chance(0.2) && { askMinutes: 0 }) };
}

function planPrompts(random: Random, parent: string): Prompt[] {
	const labels: string[] = [];
	let count = 0;
	const task = (): string => {
		const words = [`task ${parent}-${++count}`];
		const dice = random.next();
		if (dice < 0.12) words.push("turns=9999", `stop=${random.between(100, 4000)}`);
		else words.push(`turns=${random.between(0, 3)}`);
		// Some take longer than a lease.
		words.push(`ms=${random.chance(0.08) ? random.between(5000, 12_000) : random.between(1, 400)}`);
		if (random.chance(0.1)) words.push(`stop=${random.between(50, 1500)}`);
		if (random.chance(0.08)) words.push("silent");
		if (random.chance(0.15)) words.push(`quota=${random.between(1, 2)}`);
		return words.join(" ");
	};
	/** What a child then does is written in its task. Those of `counted` only end by their budget. */
	const work = (): { agent: string; task: string } => {
		if (random.chance(0.15)) return { agent: "counted", task: `task ${parent}-${++count} turns=99 ms=15` };
		return { agent: random.chance(0.1) ? "alone" : "scout", task: task() };
	};
	const call = (): Call => {
		const dice = random.next();
		if (dice < 0.35) return { tool: "subagent", ...work() };
		if (dice < 0.43) return { tool: "subagent", agent: "scout", task: task(), continues: true };
		if (dice < 0.75 || labels.length === 0) {
			const label = `${parent}-${count + 1}`;
			labels.push(label);
			return { tool: "sessions_spawn", ...work(), label };
		}
		const message = `task ${parent}-${++count} turns=0 ms=20`;
		return { tool: "sessions_send", label: random.pick(labels), message, withinMs: random.pick([0, 0, 2000]) };
	};
	return Array.from({ length: random.between(1, 3) }, () => ({
		afterMs: random.between(0, 3000),
		calls: Array.from({ length: random.between(1, 3) }, call),
		...(random.chance(0.12) && { abortAfterMs: random.between(10, 2000) }),
		...(random.chance(0.1) && { closes: true }),
	}));
}

function planFaults(random: Random, role: string): Fault[] {
	const faults: Fault[] = [];
	while (random.chance(0.4)) faults.push({ ...where(random, role), ...harmless(random) });
	// Long enough for others to give its runs away, in the middle of something.
	if (role === "host" && random.chance(0.3)) {
		faults.push({
			kind: "suspend",
			forMs: random.between(17_000, 24_000),
			place: BEFORE_BEGIN,
			nth: random.between(1, 6),
		});
	}
	if (random.chance(0.15)) faults.push({ kind: "torn", place: random.pick(APPENDS), nth: random.between(1, 4) });
	if (random.chance(0.6)) faults.push({ kind: "kill", ...where(random, role) });
	return faults;
}

/** Lived through: cut off, or suspended, for a moment or past the lease. */
function harmless(random: Random): Mischief {
	if (random.chance(0.4)) return { kind: "cut" };
	return { kind: "suspend", forMs: random.chance(0.5) ? random.between(15_000, 30_000) : random.between(20, 4000) };
}

const APPENDS = [
	"append user",
	"append assistant",
	"append toolResult",
	"append announce",
	"append task",
	"append message",
];
const PLACES = [
	BEFORE_BEGIN,
	"before commit",
	"commit",
	"listen",
	"connect",
	"start host",
	"send watch",
	"sent watch",
	"send wake",
	"send started",
	"send ended",
	"sent ended",
	"receive",
	"flush",
	"rename",
	...APPENDS,
	...APPENDS.map((place) => `before ${place}`),
];

function where(random: Random, role: string): Where {
	const far = role === "host" ? 120 : 80;
	if (random.chance(0.5)) return { point: random.between(1, far) };
	return { place: random.pick(PLACES), nth: random.between(1, 4) };
}

function planTroubles(random: Random): Trouble[] {
	const troubles: Trouble[] = [];
	while (random.chance(0.35)) {
		const from = random.between(0, 9000);
		const to = from + random.between(200, 14_000);
		const dice = random.next();
		if (dice < 0.35) troubles.push({ what: "ledger", kind: random.pick(["locked", "full", "forbidden"]), from, to });
		else if (dice < 0.6) troubles.push({ what: "hosts", from, to });
		else if (dice < 0.8) troubles.push({ what: "disk", from, to });
		else if (dice < 0.93) troubles.push({ what: "power cut", from });
		else troubles.push({ what: "clock", from, by: random.pick([-3_600_000, -5000, 5000, 3_600_000]) });
	}
	return troubles;
}
