import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { forksFolder } from "../plan/session-place.ts";
import type { HostId } from "../run/ids.ts";

/** Where pi-geon keeps its files: all below `<agent directory>/pi-geon`, readable by the user only. */
export interface Places {
	dir: string;
	ledger: string;
	hosts: string;
	/** Node's compile cache for the code of hosts. */
	compiled: string;
	/** The log of all pi processes that delegate; each host has its own. */
	parentLog: string;
	/** Copies of a parent's conversation whose runs have not begun, named by the child session. */
	forks: string;
	/** Patches and bundles of what runs changed in their trees. */
	changes: string;
	/** The agents that the user allows to write. */
	writeConsents: string;
	/** The file with the address and token of the live page, and the page that redirects a browser there. */
	page: { address: string; door: string };
	/** Folders of runs whose tools work in a ring. */
	scratch: string;
	/** What hosts in a ring share and no other process runs: the code that Node and pi's loader have compiled. */
	ringed: { compiled: string; loader: string; ownPrograms: string; hosts: string; proof: string };
	log(host: HostId): string;
	socket(host: HostId): string;
}

/** The kernel keeps socket addresses in about 104 bytes. */
const MAX_SOCKET_PATH_BYTES = 100;

export function placesIn(agentDir: string): Places {
	const dir = join(agentDir, "pi-geon");
	const hosts = join(dir, "hosts");
	return {
		dir,
		ledger: join(dir, "ledger.sqlite"),
		hosts,
		compiled: join(dir, "compiled"),
		parentLog: join(dir, "parent.log"),
		forks: forksFolder(agentDir),
		changes: join(dir, "changes"),
		writeConsents: join(dir, "write-consents.json"),
		page: { address: join(dir, "page.json"), door: join(dir, "page.html") },
		scratch: join(dir, "scratch"),
		ringed: ringedPlaces(join(dir, "ringed")),
		log: (host) => join(hosts, `${host}.log`),
		socket: (host) => socketPath(hosts, host),
	};
}

/**
 * `ownPrograms` shows the user's own `bin` inside a ring, with some programs replaced. `hosts` has a folder for each host.
 * `proof` records that such rings work.
 */
const ringedPlaces = (dir: string): Places["ringed"] => ({
	compiled: join(dir, "compiled"),
	loader: join(dir, "loader"),
	ownPrograms: join(dir, "own-programs"),
	hosts: join(dir, "hosts"),
	proof: join(dir, "proof"),
});

function socketPath(hosts: string, host: HostId): string {
	if (process.platform === "win32") return `\\\\.\\pipe\\pi-geon-${digest(hosts)}-${host}`;
	const path = join(hosts, `${host}.sock`);
	if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return path;
	// The home directory is too deep, so use a short path in the runtime or temp directory. The host removes it when it
	// leaves, and so does a process that finds the host dead.
	return join(runtimeDirectory(), sharedFolderName(), `${host}.sock`);
}

/**
 * `XDG_RUNTIME_DIR` if it is as specified: an absolute path, the user's own, closed to others. An empty or relative path
 * would put sockets into the working directory of the process.
 */
function runtimeDirectory(): string {
	const given = process.env.XDG_RUNTIME_DIR ?? "";
	if (isAbsolute(given) && isOurAlone(given)) return given;
	return isAbsolute(tmpdir()) ? tmpdir() : "/tmp";
}

function isOurAlone(folder: string): boolean {
	try {
		const found = statSync(folder);
		return found.isDirectory() && found.uid === ownUid() && (found.mode & 0o077) === 0;
	} catch (error) {
		if (error instanceof Error && "code" in error) return false;
		throw error;
	}
}

/**
 * Makes the folder of a socket, for the user alone. In a temporary directory that all users share, another user may have
 * made a folder of that name first, and could then read and answer what goes over the socket.
 */
export function prepareSocketFolder(socket: string): void {
	if (process.platform === "win32") return;
	const folder = dirname(socket);
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	requireOwnFolder(folder);
	chmodSync(folder, 0o700);
}

/** Fails unless only this user can have put a socket into the folder. The agent directory is the user's responsibility. */
export function requireOwnFolder(folder: string): void {
	if (!SHARED_FOLDER.test(basename(folder))) return;
	const found = lstatSync(folder);
	if (!found.isDirectory() || found.uid !== ownUid()) throw new FolderNotOurs(folder);
}

const sharedFolderName = (): string => `pi-geon-${ownUid()}`;

/** Any user id: in a ring that root has started, root has another id. */
const SHARED_FOLDER = /^pi-geon-\d+$/;

/** Not the user's name: in a ring, the id may have no name. */
const ownUid = (): number => process.getuid?.() ?? -1;

class FolderNotOurs extends Error {
	override name = "FolderNotOurs";
	readonly code = "EPERM";
	constructor(folder: string) {
		super(
			`${folder} belongs to another user or is not a folder, so no socket is made there. Remove it, or set XDG_RUNTIME_DIR to a folder of your own.`,
		);
	}
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);
