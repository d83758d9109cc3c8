import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { ProfileKey } from "../../src/ledger/profile-key.ts";
import { endRun, requestStop } from "../../src/ledger/progress.ts";
import { sweep } from "../../src/ledger/sweep.ts";
import { type HostId, newSessionId, type RunId } from "../../src/run/ids.ts";
import fc from "../helpers/fast-check.ts";
import { claimNext } from "./one-run.ts";
import { admission, outcomeOf, success } from "./samples.ts";
import { readyHost, useScratch } from "./scratch.ts";

const scratch = useScratch();
const LEASE_MS = 100;
/** Of the only host there is: ready to claim runs of this profile, and made to claim those of others too. */
const HOST_PROFILE = "p";
const SESSIONS = Array.from({ length: 4 }, newSessionId);

/** The rules of the queue once more, as plainly as they can be said. */
interface ModelRun {
	id: RunId;
	profile: string;
	/** Whether only a host of its own may claim it. */
	own: boolean;
	parent: string;
	session: number;
	background: boolean;
	lane: number;
	attempts: number;
	attemptsLeft: number;
	stop: boolean;
	state: "queued" | "running" | "ended";
	leaseUntil: number;
	fence: number;
}

/** Those that somebody may claim, in the order of their turns; then places are given away one after the other. */
function nextInModel(runs: ModelRun[], { digest, ownRun }: ProfileKey): ModelRun | undefined {
	const running = runs.filter((run) => run.state === "running");
	const isFor = (run: ModelRun) => run.profile === digest && (run.own ? run.id : undefined) === ownRun;
	const claimable = runs.filter(
		(run, seq) =>
			run.state === "queued" &&
			(isFor(run) || (run.profile === HOST_PROFILE && !run.own)) &&
			!run.stop &&
			run.attemptsLeft > 0 &&
			runs.slice(0, seq).every((other) => other.session !== run.session || other.state === "ended"),
	);
	const foregroundFirst = (a: ModelRun, b: ModelRun) => Number(a.background) - Number(b.background);
	const turnOf = (run: ModelRun) =>
		running.filter(({ parent }) => parent === run.parent).length +
		claimable
			.filter(({ parent }) => parent === run.parent)
			.sort(foregroundFirst)
			.indexOf(run);
	let places = 0;
	for (const run of claimable.toSorted((a, b) => foregroundFirst(a, b) || turnOf(a) - turnOf(b))) {
		if (running.length + places >= run.lane) {
			if (!run.background) claimable.splice(0, claimable.length, ...claimable.filter((other) => !other.background));
			continue;
		}
		if (run.background && !claimable.includes(run)) continue;
		if (isFor(run)) return run;
		places++;
	}
	return undefined;
}

const keyFor = (run: ModelRun | undefined): ProfileKey =>
	run?.own ? { digest: run.profile, ownRun: run.id } : { digest: run?.profile ?? "p" };

/** Answers what was put back, and what was ended. */
function sweepInModel(runs: ModelRun[], at: number): { requeued: RunId[]; ended: RunId[] } {
	const expired = runs.filter((run) => run.state === "running" && run.leaseUntil <= at);
	for (const run of expired) {
		Object.assign(run, { state: "queued", fence: run.fence + 1 });
		// All are of one host here. Whoever was not alone in it gets another chance, in a host of its own.
		if (expired.length > 1 && run.attempts > 1 && run.attemptsLeft === 0) {
			Object.assign(run, { attemptsLeft: 1, own: true });
		}
	}
	const over = runs.filter((run) => run.state === "queued" && (run.stop || run.attemptsLeft === 0));
	for (const run of over) run.state = "ended";
	const idsOf = (some: ModelRun[]) => some.map((run) => run.id);
	return { requeued: idsOf(expired.filter((run) => !over.includes(run))), ended: idsOf(over) };
}

type Step =
	| {
			do: "admit";
			profile: string;
			parent: string;
			session: number;
			background: boolean;
			lane: number;
			attempts: number;
	  }
	| { do: "claim"; profile: string }
	| { do: "claim own"; which: number }
	| { do: "end" | "stop"; which: number }
	| { do: "sweep"; after: number };

const profile = fc.constantFrom("p", "q");
const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.record({
			do: fc.constant("admit" as const),
			profile,
			parent: fc.constantFrom("a", "b", "c"),
			session: fc.nat(SESSIONS.length - 1),
			background: fc.boolean(),
			lane: fc.integer({ min: 1, max: 5 }),
			attempts: fc.integer({ min: 1, max: 3 }),
		}),
	},
	{ weight: 5, arbitrary: fc.record({ do: fc.constant("claim" as const), profile }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("claim own" as const), which: fc.nat(30) }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constantFrom("end" as const, "stop" as const), which: fc.nat(30) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("sweep" as const), after: fc.nat(LEASE_MS) }) },
);

/** Takes every step in the ledger and in the model, and compares what each answers. */
class Comparison {
	readonly #ledger: Ledger;
	readonly #host: HostId;
	readonly #runs: ModelRun[] = [];
	#now = 0;

	constructor(ledger: Ledger) {
		for (const table of ["runs", "sessions", "hosts"]) ledger.run(`DELETE FROM ${table}`);
		this.#ledger = ledger;
		this.#host = readyHost(ledger, { profile: HOST_PROFILE });
	}

	take(step: Step): void {
		this.#now++;
		if (step.do === "admit") this.#admit(step);
		else if (step.do === "claim") this.#claim({ digest: step.profile });
		else if (step.do === "claim own") this.#claim(keyFor(this.#runs[step.which % this.#runs.length]));
		else if (step.do === "sweep") this.#sweep(step.after);
		else if (this.#runs.length > 0) this.#change(step.do, this.#runs[step.which % this.#runs.length]);
	}

	#admit(step: Step & { do: "admit" }): void {
		const { id } = admitRun(
			this.#ledger,
			admission({
				...(SESSIONS[step.session] && { session: SESSIONS[step.session] }),
				profile: step.profile,
				parentSession: step.parent,
				mode: step.background ? "background" : "foreground",
				laneLimit: step.lane,
				maxAttempts: step.attempts,
			}),
		).run;
		const fresh = {
			own: false,
			attemptsLeft: step.attempts,
			stop: false,
			state: "queued",
			leaseUntil: 0,
			fence: 0,
		} as const;
		this.#runs.push({ ...step, id, ...fresh });
	}

	#claim(profile: ProfileKey): void {
		const claimed = claimNext(this.#ledger, { hostId: this.#host, profile, at: this.#now, leaseMs: LEASE_MS })?.run;
		const expected = nextInModel(this.#runs, profile);
		expect(claimed?.id).toBe(expected?.id);
		if (!expected) return;
		expected.state = "running";
		expected.attemptsLeft--;
		expected.fence++;
		// A claim renews the leases of all runs of its host, and there is one host.
		for (const run of this.#runs) if (run.state === "running") run.leaseUntil = this.#now + LEASE_MS;
		expect(claimed).toMatchObject({ fence: expected.fence, leaseUntil: expected.leaseUntil });
	}

	#change(how: "end" | "stop", run: ModelRun | undefined): void {
		if (!run) return;
		const { id, fence } = run;
		const open = run.state !== "ended";
		if (how === "end") {
			expect(endRun(this.#ledger, { id, fence, outcome: success(), at: this.#now })).toBe(open);
			run.state = "ended";
		} else {
			expect(requestStop(this.#ledger, id, { at: this.#now, by: "the user" })).toBe(open);
			run.stop ||= open;
		}
	}

	#sweep(after: number): void {
		this.#now += after;
		const { requeued, ended } = sweep(this.#ledger, { at: this.#now, outcomeOf });
		const expected = sweepInModel(this.#runs, this.#now);
		expect(requeued.map(({ run }) => run.id).sort()).toEqual(expected.requeued.sort());
		expect(ended.map(({ run }) => run.id).sort()).toEqual(expected.ended.sort());
	}
}

test("whatever happens, the next run is the one the rules name", async () => {
	const ledger = await scratch.ledger();
	fc.assert(
		fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => {
			const comparison = new Comparison(ledger);
			for (const step of steps) comparison.take(step);
		}),
		{ numRuns: 120 },
	);
});
