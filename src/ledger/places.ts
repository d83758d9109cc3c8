import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import type { HostId } from "../run/ids.ts";

/** Where pi-geon keeps its files: all below `<agent directory>/pi-geon`, for the user alone. */
export interface Places {
	dir: string;
	ledger: string;
	hosts: string;
	/** Of all pi processes that delegate; each host has one of its own. */
	parentLog: string;
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
		parentLog: join(dir, "parent.log"),
		log: (host) => join(hosts, `${host}.log`),
		socket: (host) => socketPath(hosts, host),
	};
}

function socketPath(hosts: string, host: HostId): string {
	if (process.platform === "win32") return `\\\\.\\pipe\\pi-geon-${digest(hosts)}-${host}`;
	const path = join(hosts, `${host}.sock`);
	if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return path;
	// A deep home directory: a short path in the runtime or temp directory instead. The host removes it when it leaves,
	// and whoever finds the host dead does.
	return join(process.env.XDG_RUNTIME_DIR ?? tmpdir(), sharedFolderName(), `${host}.sock`);
}

/**
 * Makes the folder of a socket, for the user alone. In a temporary directory that all users share, another may have made
 * one of that name before: what goes over a socket in there could be read and answered by them.
 */
export function prepareSocketFolder(socket: string): void {
	if (process.platform === "win32") return;
	const folder = dirname(socket);
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	requireOwnFolder(folder);
	chmodSync(folder, 0o700);
}

/** Fails unless a socket is where only this user can have put it. The agent directory is the user's affair. */
export function requireOwnFolder(folder: string): void {
	if (basename(folder) !== sharedFolderName()) return;
	const found = lstatSync(folder);
	if (!found.isDirectory() || found.uid !== userInfo().uid) throw new FolderNotOurs(folder);
}

const sharedFolderName = (): string => `pi-geon-${userInfo().uid}`;

class FolderNotOurs extends Error {
	override name = "FolderNotOurs";
	constructor(folder: string) {
		super(
			`${folder} belongs to another user or is no folder, so no socket is made there. Remove it, or set XDG_RUNTIME_DIR to a folder of your own.`,
		);
	}
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);
