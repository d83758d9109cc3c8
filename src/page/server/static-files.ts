import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Hono } from "hono";

/** The browser's files, and the types that a browser needs for them. */
const FILES: Readonly<Record<string, { name: string; type: string }>> = {
	"/": { name: "index.html", type: "text/html; charset=utf-8" },
	"/page.js": { name: "page.js", type: "text/javascript; charset=utf-8" },
	"/page.css": { name: "page.css", type: "text/css; charset=utf-8" },
};

/** Serves them without a token: they contain no data of the user, and a browser cannot send a token for them. */
export function serveFiles(app: Hono, folder: string): void {
	for (const [path, { name, type }] of Object.entries(FILES)) {
		// Read all of them at the start, so that an update of the package does not mix two versions in a page.
		const content = readFileSync(join(folder, name));
		app.get(path, (context) => context.body(new Uint8Array(content), 200, { "Content-Type": type }));
	}
}
