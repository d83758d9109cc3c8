import { readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { plural } from "../../run/amounts.ts";
import { gc } from "../gc.ts";
import { type Check, type Examination, type Finding, pass } from "./check.ts";

const MIB = 1024 * 1024;
const LITTLE_ROOM = 100 * MIB;
const NO_ROOM = 10 * MIB;
const MUCH = 2 * 1024 * MIB;

/** What is kept, whether there is room for more; and with `fix`, what has outlived its time is removed. */
export const checkDisk: Check = {
	name: "disk",
	async *run(examination) {
		const { places, sessionsRoot, config } = examination.sources;
		if (examination.fix && examination.ledger) {
			const { retentionDays } = config.config;
			const removed = await gc(examination.ledger, { at: Date.now(), retentionDays, places });
			if (removed.runs + removed.hosts + removed.files > 0) {
				const what = `${plural(removed.runs, "run")}, ${plural(removed.hosts, "host")} and ${plural(removed.files, "file")}`;
				yield { ...pass(`Removed what was past its time: ${what} (${size(removed.bytes)})`), fixed: true };
			}
		}
		const sizes = {
			ledger: sizeOf([places.ledger, `${places.ledger}-wal`, `${places.ledger}-shm`]),
			transcripts: sizeOf(filesBelow(sessionsRoot)),
			logs: sizeOf([...filesBelow(places.hosts), ...filesIn(places.dir, /^parent\.log/)]),
		};
		const total = Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0);
		const detail = Object.entries(sizes)
			.map(([what, bytes]) => `${what} ${size(bytes)}`)
			.join(", ");
		if (total < MUCH) yield pass(`Uses ${size(total)}`, detail);
		else {
			const remedy = "pi-geon gc removes what has expired; retentionDays in pi-geon.json says when that is.";
			yield { level: "warn", what: `Uses ${size(total)}`, detail, remedy };
		}
		yield room(examination);
	},
};

function room({ sources: { places, agentDir } }: Examination): Finding {
	const { bavail, bsize } = statfsSync(statSync(places.dir, { throwIfNoEntry: false }) ? places.dir : agentDir);
	const free = bavail * bsize;
	if (free >= LITTLE_ROOM) return pass(`${size(free)} free`);
	return {
		level: free < NO_ROOM ? "fail" : "warn",
		what: `Only ${size(free)} free on the disk`,
		detail: "Without room, runs can neither be admitted nor brought to their end.",
		remedy: "Make room.",
	};
}

const sizeOf = (files: string[]): number =>
	files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);

const filesIn = (folder: string, pattern: RegExp): string[] =>
	filesBelow(folder).filter((file) => pattern.test(file.slice(folder.length + 1)));

function filesBelow(folder: string): string[] {
	try {
		return readdirSync(folder, { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map(({ parentPath, name }) => join(parentPath, name));
	} catch (error) {
		if (error instanceof Error && "code" in error) return [];
		throw error;
	}
}

function size(bytes: number): string {
	const [unit, name] = bytes >= 1024 * MIB ? [1024 * MIB, "GB"] : bytes >= MIB ? [MIB, "MB"] : [1024, "kB"];
	return `${(bytes / unit).toFixed(bytes / unit < 10 ? 1 : 0)} ${name}`;
}
