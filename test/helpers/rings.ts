import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "./home.ts";

/** Homes whose tests start pi on a machine without rings. */
export const homesWithoutRings = new WeakSet<Home>();

/**
 * Fails if a host that should be in a ring ran without one. All tests on a real pi check this, so each of them shows
 * that its subject works in both rings. On a machine without rings, they all fail instead of passing silently.
 */
export function expectRings(home: Home): void {
	if (process.platform !== "linux" || homesWithoutRings.has(home)) return;
	const logs = globSync(join(home.agentDir, "pi-geon", "hosts", "*.log")).map((file) => readFileSync(file, "utf8"));
	const lines = logs.flatMap((log) => log.split("\n")).filter((line) => line.includes("no sandbox for this host"));
	if (lines.length > 0) throw new Error(`Hosts ran without a ring:\n${lines.join("\n")}`);
}
