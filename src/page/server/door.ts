import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { writeNew } from "../../files/write-whole.ts";

/**
 * A file that redirects a browser to the page. The browser is started with this file instead of the address: other users of
 * the machine can see the arguments of a program, and the address contains the token.
 */
export function makeDoor(file: string, url: string): void {
	rmSync(file, { force: true });
	writeNew(
		file,
		`<!doctype html><meta charset="utf-8"><title>pi-geon</title>
<meta http-equiv="refresh" content="0;url=${url}"><meta name="referrer" content="no-referrer">
<p><a href="${url}">The page of pi-geon</a></p>
`,
	);
}

/** Opens a file in the user's browser. False if there is no program to start. */
export async function openInBrowser(file: string): Promise<boolean> {
	const program = OPENERS[process.platform] ?? "xdg-open";
	const { promise, resolve } = Promise.withResolvers<boolean>();
	const started = spawn(program, [file], { detached: true, stdio: "ignore" });
	started.once("error", () => resolve(false));
	started.once("spawn", () => resolve(true));
	started.unref();
	return promise;
}

const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", win32: "explorer.exe" };
