import { writeSync } from "node:fs";
import { join } from "node:path";
import type { PoolSettings } from "../../../src/config/config.ts";
import { placesIn } from "../../../src/ledger/places.ts";
import { type LogRole, logTo } from "../../../src/log/log.ts";
import { HostProfiles } from "../../../src/supervise/host-profiles.ts";
import { profileOf } from "../../../src/supervise/profile.ts";

/** The variable that has the address of the pool. */
export const POOL_URL = "POOL_FAULTS_URL";
/** The variable that names the file in which children say what they do. */
export const CALLS = "POOL_FAULTS_CALLS";
export const POOL: PoolSettings = { name: "team", urlEnv: POOL_URL, urlFile: null, setup: null };
/** The conversation that asks for all runs. */
export const PARENT_SESSION = "parent";

/** What a process of a machine knows of it. */
export function machineHere() {
	const agentDir = process.env.PI_CODING_AGENT_DIR ?? "";
	return { agentDir, places: placesIn(agentDir), profiles: profilesOf(agentDir, process.env) };
}

/** Hosts are this suite's stand-ins. */
export const profilesOf = (agentDir: string, env: NodeJS.ProcessEnv): HostProfiles =>
	new HostProfiles(
		profileOf({
			command: [process.execPath, join(import.meta.dirname, "host-process.ts")],
			piVersion: "stand-in",
			agentDir,
			hostEntry: join(import.meta.dirname, "host-process.ts"),
			env,
		}),
	);

export const logHere = (role: LogRole, host?: string) =>
	logTo({
		context: { role, pid: process.pid, ...(host !== undefined && { host }) },
		write: (line) => void writeSync(2, line),
		redact: (line) => line,
	});
