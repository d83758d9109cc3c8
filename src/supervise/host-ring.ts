import { mkdirSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { extensionArea, isInside } from "../files/project-area.ts";
import { realPath } from "../files/real-path.ts";
import type { HostRecord } from "../ledger/hosts.ts";
import { type Places, prepareSocketFolder } from "../ledger/places.ts";
import { sessionsRoot, treesRoot } from "../plan/session-place.ts";
import { existingOnly } from "../sandbox/existing.ts";
import { ENFORCED, HOST_RING, machineNow, type OuterRing, ringedCommand } from "../sandbox/outer-ring.ts";
import { bwrapHere } from "../sandbox/probe.ts";
import type { HostProfile } from "./profile.ts";
import { searchPrograms } from "./search-programs.ts";

/** How a process is started. */
export interface StartCommand {
	command: readonly string[];
	env: Readonly<Record<string, string>>;
}

/**
 * The same command in the ring of a host, if this machine supports rings. Creates the folders that the ring needs.
 */
export function inHostRing(host: HostRecord, { command, env }: StartCommand, where: RingWhere): StartCommand {
	const found = bwrapHere();
	if ("why" in found) return withSafeSearches(host, { command, env: { ...env, [HOST_RING]: found.why } }, where);
	const { bwrap } = found;
	const proof = { file: where.places.ringed.proof, text: machineNow(bwrap) };
	return { command: ringedCommand(outerRing(host, { ...where, env, bwrap }), command, proof), env };
}

interface RingWhere {
	places: Places;
	profile: HostProfile;
}

function outerRing(
	host: HostRecord,
	{ places, profile, env, bwrap }: RingWhere & { env: StartCommand["env"]; bwrap: string },
): OuterRing {
	const { agentDir } = profile;
	const home = env.HOME || homedir();
	const own = join(places.ringed.hosts, host.id);
	const [tmp, programs] = [join(own, "tmp"), join(own, "programs")];
	const { compiled, loader, ownPrograms } = places.ringed;
	const roots = [sessionsRoot(agentDir, home), treesRoot(agentDir, home)];
	for (const folder of [tmp, programs, compiled, loader, ownPrograms, ...roots]) {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
	}
	// Where pi's loader looks for compiled code. A host in a ring could change the compiled code of other processes there.
	symlinkSync(loader, join(tmp, "jiti"));
	prepareSocketFolder(host.socket);
	const bin = join(agentDir, "bin");
	const searches = searchPrograms({
		folder: programs,
		bin,
		ownPrograms,
		path: env.PATH ?? "",
		area: areaHere(agentDir),
	});
	return {
		bwrap,
		writable: outermost([agentDir, places.dir, ...roots, dirname(host.socket), ...(profile.ring?.principals ?? [])]),
		shown: searches.shown,
		env: {
			TMPDIR: realPath(tmp),
			// A folder that the user configured stays. It is read-only in the ring, so the host cannot change it.
			...(env.NODE_COMPILE_CACHE === places.compiled && { NODE_COMPILE_CACHE: compiled }),
			// pi starts a program from its own folder, or else the first one on the PATH.
			...(searches.onPath && { PATH: `${realPath(programs)}:${env.PATH ?? ""}` }),
			[HOST_RING]: [ENFORCED, ...searches.names].join(" "),
		},
		isRoot: process.getuid?.() === 0,
	};
}

/** The same process without a ring: pi finds no program of the project to search with either. */
export function withSafeSearches(host: HostRecord, { command, env }: StartCommand, where: RingWhere): StartCommand {
	if (process.platform === "win32") return { command, env };
	const { places, profile } = where;
	const folder = join(places.ringed.hosts, host.id, "programs");
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const bin = join(profile.agentDir, "bin");
	const area = areaHere(profile.agentDir);
	const { onPath } = searchPrograms({ folder, bin, ownPrograms: bin, path: env.PATH ?? "", area });
	return { command, env: onPath ? { ...env, PATH: `${realPath(folder)}:${env.PATH ?? ""}` } : env };
}

/** The project that this process works in. */
function areaHere(agentDir: string): string[] {
	try {
		return extensionArea(process.cwd(), agentDir);
	} catch (error) {
		if (error instanceof Error && "code" in error) return []; // The folder was removed, with its programs.
		throw error;
	}
}

/** Real paths of the folders that exist and are not inside another one: a file cannot be moved between two mounts. */
function outermost(folders: readonly string[]): string[] {
	const real = existingOnly(folders);
	return real.filter((folder) => !real.some((other) => other !== folder && isInside(other, folder)));
}
