import { readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { doubtInWords, inDoubt } from "../../config/in-doubt.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { plural } from "../../run/amounts.ts";
import { removeAllExpired } from "../gc.ts";
import { type Check, type Examination, type Finding, pass } from "./check.ts";
import type { DoctorSources } from "./sources.ts";

const MIB = 1024 * 1024;
const LITTLE_ROOM = 100 * MIB;
const NO_ROOM = 10 * MIB;
const MUCH = 2 * 1024 * MIB;

/** How much is kept, and whether there is room for more. With `fix`, removes expired data. */
export const checkDisk: Check = {
	name: "disk",
	async *run(examination) {
		const { places, sessionsRoot } = examination.sources;
		if (examination.fix && examination.ledger) yield* removeOverdue(examination.ledger, examination.sources);
		const sizes = {
			ledger: sizeOf([places.ledger, `${places.ledger}-wal`, `${places.ledger}-shm`]),
			transcripts: sizeOf(filesBelow(sessionsRoot)),
			"compiled code": sizeOf(filesBelow(places.compiled)),
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

async function* removeOverdue(
	ledger: Ledger,
	{ agentDir, config: { config, diagnostics }, places }: DoctorSources,
): AsyncGenerator<Finding> {
	const userFile = join(agentDir, "pi-geon.json"); // A project may not decide this.
	const ofUser = diagnostics.filter(({ file }) => file === userFile);
	const [doubt] = inDoubt(ofUser, ["retentionDays"]);
	if (doubt) {
		yield {
			level: "fail",
			what: "Nothing was removed, because the value of retentionDays is uncertain",
			detail: doubtInWords(doubt),
			remedy: "Fix that file, then run --fix again.",
		};
		return;
	}
	const removed = await removeAllExpired(ledger, { at: Date.now(), retentionDays: config.retentionDays, places });
	if (removed.runs + removed.hosts + removed.files === 0) return;
	const what = `${plural(removed.runs, "run")}, ${plural(removed.hosts, "host")} and ${plural(removed.files, "file")}`;
	yield { ...pass(`Removed what had expired: ${what} (${size(removed.bytes)})`), fixed: true };
}

function room({ sources: { places, agentDir } }: Examination): Finding {
	const { bavail, bsize } = statfsSync(statSync(places.dir, { throwIfNoEntry: false }) ? places.dir : agentDir);
	const free = bavail * bsize;
	if (free >= LITTLE_ROOM) return pass(`${size(free)} free`);
	return {
		level: free < NO_ROOM ? "fail" : "warn",
		what: `Only ${size(free)} free on the disk`,
		detail: "Without free space, runs can neither start nor finish.",
		remedy: "Free some space.",
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
