import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "./home.ts";

/** Homes whose tests start pi on a machine that has no rings. */
export const homesWithoutRings = new WeakSet<Home>();

/**
 * Fails if a host that belongs into a ring ran without one. All tests on a real pi ask this, so each of them shows that
 * what it tests works in both rings: a machine that cannot make them would fail everywhere, and not pass in silence.
 */
export function expectRings(home: Home): void {
	if (process.platform !== "linux" || homesWithoutRings.has(home)) return;
	const logs = globSync(join(home.agentDir, "pi-geon", "hosts", "*.log")).map((file) => readFileSync(file, "utf8"));
	const lines = logs.flatMap((log) => log.split("\n")).filter((line) => line.includes("no sandbox for this host"));
	if (lines.length > 0) throw new Error(`Hosts ran without a ring:\n${lines.join("\n")}`);
}
