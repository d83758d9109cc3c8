import { type Random, randomFrom } from "./random.ts";

/** What befalls a process, and where: at its n-th point of any kind, or at its n-th visit to a place. */
export type Fault = Mischief & ({ point: number } | { place: string; when: string; nth: number });

type Mischief =
	| { kind: "kill" }
	| { kind: "torn" }
	| { kind: "disconnect" }
	| { kind: "suspend"; forMs: number }
	| MachineTrouble;

/** What befalls the whole machine for a while, from this very point on. */
export interface MachineTrouble {
	kind: "disk full" | "hosts forbidden" | "sessions forbidden" | "state forbidden" | "ledger locked";
	forMs: number;
}

/** As the injector reads it: for each role, what befalls its first process, its second, … */
export interface FaultPlan {
	atMost: number;
	processes: Record<string, Fault[][]>;
}

/** One thing that a parent's model is made to do, by a prompt that says so. */
export interface Call {
	tool: "subagent" | "sessions_spawn" | "sessions_send";
	args: Record<string, string | number>;
}

export type Step =
	/** `abortAfterMs`: the user interrupts the turn. */
	| { do: "prompt"; calls: Call[]; abortAfterMs?: number }
	/** The power fails: everything is killed at once. */
	| { do: "power cut" }
	/** The user closes pi and opens the session again, while the machine is in trouble. */
	| { do: "reopen"; in: MachineTrouble };

export interface WorkloadPlan {
	seed: number;
	/** How often a run may be claimed. */
	maxAttempts: number;
	laneLimit: number;
	/** How long a process waits for a ledger that another one has locked. */
	ledgerPatienceMs: number;
	parents: Record<string, Step[]>;
	faults: FaultPlan;
}

export interface Size {
	parents: number;
	/** Prompts a parent gets. */
	steps: number;
	/** Faults, not counting those after which nothing is left to do. */
	faults: number;
}

export const LEASE_MS = 1500;

/** Everything that is decided beforehand. What the machine makes of it is the machine's. */
export function planWorkload(seed: number, size: Size): WorkloadPlan {
	const random = randomFrom(seed);
	const names = Array.from({ length: size.parents }, (_, index) => `p${index}`);
	return {
		seed,
		// One in four has little patience, so that losing a run for good is seen too.
		maxAttempts: random.chance(0.25) ? 2 : 10,
		laneLimit: random.between(2, 4),
		ledgerPatienceMs: random.pick([10_000, 500]),
		parents: Object.fromEntries(names.map((name) => [name, planSteps(random, name, size.steps)])),
		faults: {
			atMost: size.faults,
			processes: Object.fromEntries(
				[...names, "host"].map((role) => [role, Array.from({ length: 60 }, () => planFaults(random, role))]),
			),
		},
	};
}

function planSteps(random: Random, parent: string, count: number): Step[] {
	const tasks = new Tasks(random, parent);
	return Array.from({ length: count }, (_, index): Step => {
		if (index > 0 && random.chance(0.06)) return { do: "power cut" };
		if (index > 0 && random.chance(0.08)) return { do: "reopen", in: trouble(random) };
		const calls = Array.from({ length: random.between(1, 3) }, () => tasks.call());
		return random.chance(0.1)
			? { do: "prompt", calls, abortAfterMs: random.between(50, 1500) }
			: { do: "prompt", calls };
	});
}

/** The things a parent asks for. What a child then does is written in its task; see `child-model.ts`. */
class Tasks {
	readonly #random: Random;
	readonly #parent: string;
	readonly #labels: string[] = [];
	#count = 0;

	constructor(random: Random, parent: string) {
		this.#random = random;
		this.#parent = parent;
	}

	call(): Call {
		const dice = this.#random.next();
		if (dice < 0.45) return this.#spawn();
		if (dice < 0.75) return { tool: "subagent", args: this.#forAnAgent() };
		// The harness puts in a session that has finished by then.
		if (dice < 0.82) return { tool: "subagent", args: { agent: "explorer", task: this.#task(), sessionId: "ended" } };
		if (this.#labels.length === 0) return this.#spawn();
		const message = `task ${this.#name()} turns=0 ms=20`;
		const timeoutSeconds = this.#random.pick([0, 0, 2]);
		return { tool: "sessions_send", args: { label: this.#random.pick(this.#labels), message, timeoutSeconds } };
	}

	#spawn(): Call {
		const args = this.#forAnAgent();
		const label = `${args.task.split(" ")[1]}`;
		this.#labels.push(label);
		return { tool: "sessions_spawn", args: { ...args, label } };
	}

	#forAnAgent(): { agent: string; task: string } {
		const dice = this.#random.next();
		if (dice < 0.15) return { agent: "counted", task: `task ${this.#name()} turns=99 ms=15` };
		return { agent: dice < 0.2 ? "alone" : "explorer", task: this.#task() };
	}

	#task(): string {
		const random = this.#random;
		const words = [`task ${this.#name()}`];
		// More than a host gets done until the stop comes: a hundred turns take less than two seconds.
		if (random.chance(0.12)) words.push("turns=9999", `stop=${random.between(100, 2500)}`);
		else words.push(`turns=${random.between(0, 3)}`);
		words.push(`ms=${random.between(5, 120)}`);
		if (random.chance(0.08)) words.push(`stop=${random.between(50, 600)}`);
		if (random.chance(0.08)) words.push("silent");
		return words.join(" ");
	}

	#name(): string {
		return `${this.#parent}-${++this.#count}`;
	}
}

function planFaults(random: Random, role: string): Fault[] {
	const faults: Fault[] = [];
	while (random.chance(0.5)) faults.push({ ...where(random, role), ...harmless(random) });
	if (random.chance(0.2)) faults.push({ kind: "torn", when: "before", ...append(random, role) });
	// Two chances to die: some places are never come to.
	for (let n = 0; n < 2; n++) if (random.chance(0.8)) faults.push({ kind: "kill", ...where(random, role) });
	return faults;
}

/** What a process lives through: cut off, in trouble, or suspended, for a moment or past its lease. */
function harmless(random: Random): Mischief {
	const dice = random.next();
	if (dice < 0.35) return { kind: "disconnect" };
	if (dice < 0.65) return trouble(random);
	const pastLease = random.chance(0.5);
	return { kind: "suspend", forMs: pastLease ? LEASE_MS + random.between(200, 1500) : random.between(50, 600) };
}

/** Some for one write or two, some for longer than anybody waits without trying again. */
const trouble = (random: Random): MachineTrouble => ({
	kind: random.pick(TROUBLES),
	forMs: random.chance(0.5) ? random.between(20, 300) : random.between(500, 4000),
});

/** The full disk twice: it can be met at every write. */
const TROUBLES: MachineTrouble["kind"][] = [
	...(["disk full", "disk full", "hosts forbidden", "sessions forbidden", "state forbidden", "ledger locked"] as const),
];

type Where = { point: number } | { place: string; when: string; nth: number };

/** Half of them anywhere, early points more often than late ones; half at a chosen place, so that rare ones have a turn. */
function where(random: Random, role: string): Where {
	if (random.chance(0.5))
		return { point: Math.round(random.chance(0.5) ? 300 ** random.next() : random.between(10, 200)) };
	const places = role === "host" ? HOST_PLACES : PARENT_PLACES;
	const kind = random.pick(["writes", "messages", "appends"] as const);
	if (kind === "appends") return { when: random.pick(["before", "after"]), ...append(random, role) };
	const place = random.pick(places[kind]);
	const when = kind === "writes" ? ["before write", "before commit", "after commit"] : ["before", "after"];
	return { place, when: random.pick(when), nth: random.between(1, 3) };
}

const append = (random: Random, role: string) => ({
	place: random.pick((role === "host" ? HOST_PLACES : PARENT_PLACES).appends),
	nth: random.between(1, 4),
});

const HOST_PLACES = {
	writes: [
		"host ready",
		"run running",
		"run ended",
		"run ended",
		"turn",
		"turn",
		"lease",
		"message taken",
		"host gone",
	],
	messages: ["send started", "send ended", "send progress", "receive wake", "receive watch"],
	appends: ["task", "session", "user", "assistant", "assistant", "toolResult", "message"].map(
		(what) => `append child ${what}`,
	),
};

const PARENT_PLACES = {
	writes: [
		"run admitted",
		"run admitted",
		"run delivered",
		"run delivered",
		"host reserved",
		"deliverer",
		"message sent",
	],
	messages: ["send wake", "send watch", "receive started", "receive ended", "receive progress"],
	appends: ["user", "assistant", "toolResult", "toolResult", "announce", "announce"].map(
		(what) => `append parent ${what}`,
	),
};
