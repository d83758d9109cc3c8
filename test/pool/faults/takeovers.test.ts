import { expect, test } from "vitest";
import type { DatabaseEvidence } from "./evidence.ts";
import type { FaultKind, LoggedPoolFault } from "./fault-kinds.ts";
import { isLate, isLong, takeoversOf } from "./takeovers.ts";

const S = 1000;

const fault = (kind: FaultKind, pid: number, at: number, until = at): LoggedPoolFault => ({
	...{ kind, at: at * S, until: until * S, machine: `w${pid}`, pids: [pid], met: 1 },
});

/** A job that host:1 takes at 1 s and loses, and that host:3 takes at `taken`; host:2 serves from the beginning, with one place. */
function evidence({
	free,
	taken,
	others = [],
}: {
	free: number;
	taken: number;
	others?: [from: number, to: number][];
}) {
	const serving = [1, 2, 3].map((pid) => ({ at: pid === 3 ? (taken - 0.1) * S : 0, worker: `host:${pid}`, places: 1 }));
	const state = (job: string, at: number, name: string, attempt = 0) => ({ at: at * S, job, state: name, attempt });
	const claim = (job: string, at: number, pid: number, attempt = 0) => ({
		...{ at: at * S, job, worker: `host:${pid}`, attempt },
	});
	return {
		serving,
		jobs: [
			...[state("j", 1, "active"), state("j", free, "retry"), state("j", taken, "active", 1)],
			...others.flatMap(([from, to], n) => [state(`o${n}`, from, "active"), state(`o${n}`, to, "completed")]),
		].toSorted((a, b) => a.at - b.at),
		claims: [claim("j", 1, 1), ...others.map(([from], n) => claim(`o${n}`, from, 2)), claim("j", taken, 3, 1)],
		...{ writes: [], stops: [], open: [] },
	} satisfies DatabaseEvidence;
}

test("a job that waits for longer than is promised is late, if another worker had a place for it", () => {
	const [one] = takeoversOf(evidence({ free: 22, taken: 35 }), [
		fault("worker killed", 1, 10),
		fault("worker killed", 3, 20),
	]);
	expect(one).toMatchObject({ job: "j", freeMs: 12 * S, takenMs: 25 * S, openMs: 13 * S });
	expect(one && isLate(one)).toBe(true);
});

test("it is counted from the fault that took the last worker, if none had a place for it until it was taken", () => {
	const faults = [fault("worker killed", 1, 10), fault("worker killed", 3, 20)];
	const [one] = takeoversOf(evidence({ free: 22, taken: 35, others: [[5, 40]] }), faults);
	expect(one).toMatchObject({ takenMs: 25 * S, second: { kind: "worker killed", machine: "w3", afterMs: 10 * S } });
	expect(one && [isLong(one), isLate(one)]).toEqual([true, false]);
	// It was not even free in time, for which no worker is needed.
	const [held] = takeoversOf(evidence({ free: 26, taken: 35, others: [[5, 40]] }), faults);
	expect(held && isLate(held)).toBe(true);
	// Late from there, too.
	const [late] = takeoversOf(evidence({ free: 22, taken: 41, others: [[5, 50]] }), faults);
	expect(late && isLate(late)).toBe(true);
	// A worker that is suspended has no place, and is back afterwards.
	const suspended = [fault("worker killed", 1, 10), fault("worker suspended", 2, 15, 28)];
	const [back] = takeoversOf(evidence({ free: 22, taken: 35 }), suspended);
	expect(back).toMatchObject({ openMs: 7 * S });
	expect(back && isLate(back)).toBe(true);
});

test("a job that was late although nothing else happened is late, even if all places were taken", () => {
	const [one] = takeoversOf(evidence({ free: 22, taken: 35, others: [[5, 40]] }), [fault("worker killed", 1, 10)]);
	expect(one?.second).toBeUndefined();
	expect(one && isLate(one)).toBe(true);
});
