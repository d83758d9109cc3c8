import { chmodSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Check, fixable, pass } from "./check.ts";
import { namesIn } from "./names-in.ts";

const FILES_NAMED = 3;

/** Transcripts, records and logs are for the user alone. */
export const checkFileModes: Check = {
	name: "file permissions",
	*run(examination) {
		if (process.platform === "win32") return;
		const { places, sessionsRoot } = examination.sources;
		// Node creates the files in that folder with its own permissions, but the folder itself is closed to others.
		const ours = entriesBelow(places.dir).filter((path) => dirname(path) !== places.compiled);
		const open = [...ours, ...entriesBelow(sessionsRoot)].filter(isOpenToOthers);
		if (open.length === 0) {
			yield pass("Records, transcripts and logs are readable by you alone");
			return;
		}
		const names = open.slice(0, FILES_NAMED).join(", ");
		yield fixable(
			{
				level: "warn",
				what: `Other users of this machine can read ${open.length} of your files and folders`,
				detail: open.length > FILES_NAMED ? `${names} and ${open.length - FILES_NAMED} more` : names,
				remedy: "Remove the access of other users (chmod go-rwx).",
			},
			examination,
			() => {
				for (const path of open) chmodSync(path, lstatSync(path).mode & 0o700);
			},
		);
	},
};

/** Links lead elsewhere, and their own mode means nothing. */
function isOpenToOthers(path: string): boolean {
	const stats = lstatSync(path, { throwIfNoEntry: false });
	return stats !== undefined && !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0;
}

/** The folder, the folders in it, and their files. We create nothing deeper. */
function entriesBelow(folder: string): string[] {
	const inside = namesIn(folder).flatMap((name) => {
		const path = join(folder, name);
		return [path, ...namesIn(path).map((deeper) => join(path, deeper))];
	});
	return [folder, ...inside];
}
