import { readFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../test/helpers/repository.ts";

/** What figures were measured on. */
export interface Machine {
	processor: string;
	cores: number;
	memoryGb: number;
	system: string;
	node: string;
	pi: string;
}

export function machine(): Machine {
	const pi = join(repositoryRoot, "node_modules/@earendil-works/pi-coding-agent/package.json");
	return {
		processor: cpus()[0]?.model.trim() ?? "unknown",
		cores: availableParallelism(),
		memoryGb: Math.round(totalmem() / 2 ** 30),
		system: `${process.platform} ${process.arch}`,
		node: process.versions.node,
		pi: JSON.parse(readFileSync(pi, "utf8")).version,
	};
}

export const machineInWords = ({ processor, cores, memoryGb, system, node, pi }: Machine): string =>
	`${processor}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}, pi ${pi}`;
