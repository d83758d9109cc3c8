import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";

export interface Scratch {
	readonly root: string;
	path(...parts: string[]): string;
	/** Writes a file below the root, with its folders, and returns its path. */
	write(path: string, text: string): string;
}

/** Call it once in a file; what it returns makes a temporary folder that is removed after the test. */
export function useScratch(): () => Scratch {
	const roots: string[] = [];
	afterEach(() => {
		for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
	});
	return () => {
		const root = realpathSync(mkdtempSync(join(tmpdir(), "pi-geon-files-")));
		roots.push(root);
		const path = (...parts: string[]) => join(root, ...parts);
		const write = (name: string, text: string) => {
			const file = path(name);
			mkdirSync(dirname(file), { recursive: true });
			writeFileSync(file, text);
			return file;
		};
		return { root, path, write };
	};
}
