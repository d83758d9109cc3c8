import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { HOST_COMMAND } from "../host/command.ts";
import { type HostId, isHostId } from "../run/ids.ts";

/** A process that was started as a host. */
export interface HostProcess {
	pid: number;
	id: HostId;
	/** Its working directory, which is the folder of its ledger; undefined where the system does not tell. */
	cwd?: string;
}

/** All host processes of this machine that can be seen, whoever started them. */
export function hostProcesses(): HostProcess[] {
	return process.platform === "linux" ? fromProc() : fromPs();
}

function fromProc(): HostProcess[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.flatMap((name) => {
			const id = hostIdIn(quietly(() => readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").join(" ")) ?? "");
			const cwd = id && quietly(() => readlinkSync(`/proc/${name}/cwd`));
			return id ? [{ pid: Number(name), id, ...(cwd && { cwd }) }] : [];
		});
}

function fromPs(): HostProcess[] {
	if (process.platform === "win32") return [];
	const listing = execFileSync("ps", ["-axo", "pid=,args="], { encoding: "utf8", maxBuffer: 16 * 1024 * 1024 });
	return listing.split("\n").flatMap((line) => {
		const id = hostIdIn(line);
		return id ? [{ pid: Number.parseInt(line, 10), id }] : [];
	});
}

function hostIdIn(commandLine: string): HostId | undefined {
	const id = new RegExp(`/${HOST_COMMAND} ([0-9a-f]{8})\\b`).exec(commandLine)?.[1];
	return id !== undefined && isHostId(id) ? id : undefined;
}

/** Processes come and go while one looks, and those of others may not be looked at. */
function quietly<Value>(look: () => Value): Value | undefined {
	try {
		return look();
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined;
		throw error;
	}
}
