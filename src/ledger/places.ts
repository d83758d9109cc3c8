import { createHash } from "node:crypto";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
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
	return join(process.env.XDG_RUNTIME_DIR ?? tmpdir(), `pi-geon-${userInfo().uid}`, `${host}.sock`);
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);
