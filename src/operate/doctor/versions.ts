import { type Check, pass } from "./check.ts";

const LEAST_PI = "0.87.0";
const LEAST_NODE = "22.19.0";

export const checkVersions: Check = {
	name: "versions",
	*run({ sources: { pi } }) {
		const { node = "0" } = process.versions;
		if (isAtLeast(node, LEAST_NODE)) yield pass(`Node ${node}`);
		else yield tooOld(`Node ${node}`, LEAST_NODE, "Install a newer Node.");
		if (pi === undefined) {
			yield {
				level: "warn",
				what: "There is no pi on the PATH",
				detail: "Hosts are started by the pi that delegates, so this concerns the command line only.",
				remedy: "Put pi on the PATH if `pi-geon send` is to resume subagents.",
			};
		} else if (isAtLeast(pi.version, LEAST_PI)) yield pass(`pi ${pi.version}`, pi.where);
		else yield tooOld(`pi ${pi.version}`, LEAST_PI, "Update pi.");
	},
};

const tooOld = (what: string, least: string, remedy: string) =>
	({ level: "fail", what: `${what} is too old`, detail: `pi-geon needs ${least} or newer.`, remedy }) as const;

/** Compares versions as they are written: numbers between dots, then perhaps a word. */
function isAtLeast(version: string, least: string): boolean {
	const [have, need] = [version, least].map((text) => text.replace(/^v/, "").split(/[.-]/).map(Number));
	for (let at = 0; at < 3; at++) {
		const difference = (have?.[at] || 0) - (need?.[at] || 0);
		if (difference !== 0) return difference > 0;
	}
	return true;
}
