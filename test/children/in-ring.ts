import { openRing, type RingSetup } from "../../src/sandbox/ring.ts";
import { runInRing } from "../../src/sandbox/run-in-ring.ts";

/** Runs one command in a ring, in a process whose own environment a test chooses, and prints what it printed. */
const [setup = "", command = ""] = process.argv.slice(2);
const ring = openRing(JSON.parse(setup) as RingSetup);
const { stdout } = await runInRing(ring, ["/bin/sh", "-c", command]);
process.stdout.write(stdout);
