import { randomUUID } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Readable by the user only, unless the replaced file had other permissions. */
const PRIVATE = 0o600;

/** Replaces a file in one step, because another pi may be reading it. Keeps a link, and replaces its target. */
export function writeWhole(file: string, text: string): void {
	const target = targetOf(file);
	replace(target, text, (statSync(target, { throwIfNoEntry: false })?.mode ?? PRIVATE) & 0o777);
}

/** Does the same with a file of ours, which only the user may read or change, whatever the replaced file allowed. */
export const writePrivate = (file: string, text: string): void => replace(targetOf(file), text, PRIVATE);

const replace = (target: string, text: string, mode: number): void =>
	withDraft(target, text, { mode, place: (draft) => renameSync(draft, target) });

/** Creates a file in one step. Fails with EEXIST if it exists. */
export function writeNew(file: string, text: string): void {
	withDraft(file, text, {
		mode: PRIVATE,
		place(draft) {
			linkSync(draft, file);
			rmSync(draft);
		},
	});
}

function withDraft(file: string, text: string, { mode, place }: { mode: number; place(draft: string): void }): void {
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	const draft = `${file}.${randomUUID()}`;
	try {
		writeFileSync(draft, text, { mode, flag: "wx", flush: true });
		chmodSync(draft, mode);
		place(draft);
	} catch (error) {
		rmSync(draft, { force: true });
		throw error;
	}
}

function targetOf(file: string): string {
	try {
		return realpathSync(file);
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return file;
		throw error;
	}
}
