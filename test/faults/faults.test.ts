import { expect, test } from "vitest";
import { isShare } from "../helpers/share.ts";
import { attack } from "./attack.ts";
import type { WorkloadResult } from "./workload.ts";

const POINTS = isShare ? 100 : 200;
/** Each of them meets up to sixty. */
const AT_ONCE = isShare ? 2 : 4;
/** From here on a workload meets about as many faults as it can, so that fewer workloads are needed for them. */
const FIRST_SEED = 15;
/** An attack that hits nothing, or always the same, would prove nothing. */
const KINDS = [/^kill$/, /^suspend$/, /^disconnect$/, /^torn$/, /^disk full$/, /forbidden|locked/];
/** Which of the rarer kinds a workload meets depends on how busy the machine is; that many workloads meet each of them. */
const AT_MOST = 6;

const faultsIn = (results: readonly WorkloadResult[]) => results.flatMap(({ evidence }) => evidence.faults);
const missingKinds = (results: readonly WorkloadResult[]): RegExp[] =>
	KINDS.filter((kind) => !faultsIn(results).some((fault) => kind.test(fault.kind)));

test("whatever is killed, suspended, torn, cut off, full or forbidden, nothing is lost, nothing doubled, nothing left behind", async () => {
	const until = (done: readonly WorkloadResult[]) => missingKinds(done).length === 0 || done.length >= AT_MOST;
	const results = await attack({ points: POINTS, from: FIRST_SEED, atOnce: AT_ONCE, until });
	const broken = results.flatMap(({ seed, violations }) =>
		violations.map(({ promise, because }) => `${promise}: ${because} (again: node bench/faults.ts --seed ${seed})`),
	);
	expect(broken).toEqual([]);
	const faults = faultsIn(results);
	expect(faults.length).toBeGreaterThanOrEqual(POINTS);
	expect(missingKinds(results)).toEqual([]);
	expect(new Set(faults.map(({ place, when }) => `${place} ${when}`)).size).toBeGreaterThan(30);
	const runs = results.flatMap(({ evidence }) => evidence.runs);
	expect(runs.filter(({ attempt, outcome }) => attempt > 1 && outcome?.status === "success").length).toBeGreaterThan(0);
}, 600_000);
