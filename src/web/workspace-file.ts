import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { basename, isAbsolute, relative, resolve, sep } from "node:path";
import { kindByName } from "./convert/kind.ts";
import { WebError } from "./error.ts";

/**
 * Reads a document of the workspace. Nothing outside of it, wherever links lead, and no hidden files: who reads the web
 * can be talked into carrying off what they see.
 */
export async function readWorkspaceFile(path: string, { cwd, maxBytes }: { cwd: string; maxBytes: number }) {
	const root = await realpath(cwd);
	const file = await realpath(resolve(root, path)).catch(() => {
		throw new WebError("FILE_NOT_FOUND", "There is no such file.");
	});
	const inside = relative(root, file);
	const parts = inside.split(sep);
	if (isAbsolute(inside) || parts[0] === "..")
		throw new WebError("INVALID_INPUT", "The file is outside of the workspace.");
	if (parts.some((part) => part.startsWith(".")))
		throw new WebError("INVALID_INPUT", "Hidden files are not converted.");
	if (!kindByName(file))
		throw new WebError(
			"INVALID_INPUT",
			"It is no document: only PDF, DOCX, HTML, CSV, JSON, XML and text files are converted.",
		);
	// Not through a link that was put there since, and not waiting for the writer of a pipe.
	const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
	try {
		const stats = await handle.stat();
		if (!stats.isFile()) throw new WebError("INVALID_INPUT", "It is no file.");
		if (stats.size > maxBytes)
			throw new WebError("FILE_TOO_LARGE", `The file is larger than web.maxBytes (${maxBytes}).`);
		const { buffer, bytesRead } = await handle.read(Buffer.alloc(stats.size), 0, stats.size, 0);
		return { bytes: buffer.subarray(0, bytesRead), name: basename(file) };
	} finally {
		await handle.close();
	}
}
