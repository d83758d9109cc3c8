import { expect, test } from "vitest";
import { isShare } from "../helpers/share.ts";
import { attack } from "./attack.ts";

const POINTS = isShare ? 100 : 200;
/** Each of them meets up to sixty. */
const AT_ONCE = isShare ? 2 : 4;
/** From here on a workload meets about as many faults as it can, so that fewer workloads are needed for them. */
const FIRST_SEED = 15;

test("whatever is killed, suspended, torn, cut off, full or forbidden, nothing is lost, nothing doubled, nothing left behind", async () => {
	const results = await attack({ points: POINTS, from: FIRST_SEED, atOnce: AT_ONCE });
	const broken = results.flatMap(({ seed, violations }) =>
		violations.map(({ promise, because }) => `${promise}: ${because} (again: node bench/faults.ts --seed ${seed})`),
	);
	expect(broken).toEqual([]);
	const faults = results.flatMap(({ evidence }) => evidence.faults);
	expect(faults.length).toBeGreaterThanOrEqual(POINTS);
	// An attack that hits nothing, or always the same, would prove nothing.
	const kinds = new Set(faults.map(({ kind }) => kind));
	expect([...kinds]).toEqual(expect.arrayContaining(["kill", "suspend", "disconnect"]));
	// Which of those that are rarer two workloads meet depends on how busy the machine is.
	if (isShare) expect([...kinds]).toContainEqual(expect.stringMatching(/torn|full|forbidden|locked/));
	else {
		expect([...kinds]).toEqual(expect.arrayContaining(["torn", "disk full"]));
		expect([...kinds]).toContainEqual(expect.stringMatching(/forbidden|locked/));
	}
	expect(new Set(faults.map(({ place, when }) => `${place} ${when}`)).size).toBeGreaterThan(30);
	const runs = results.flatMap(({ evidence }) => evidence.runs);
	expect(runs.filter(({ attempt, outcome }) => attempt > 1 && outcome?.status === "success").length).toBeGreaterThan(0);
}, 600_000);
