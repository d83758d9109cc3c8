import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { basename, isAbsolute, relative, resolve, sep } from "node:path";
import { WebError } from "./error.ts";

/** Files that contain keys and passwords, by the names that programs give them. */
const SECRET_NAME =
	/^(id_(rsa|dsa|ecdsa|ed25519)(\..*)?|credentials(\..*)?|secrets?(\.(ya?ml|json5?|toml|txt))?|.*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|gpg|tfstate))$/i;
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/;

/**
 * Reads a file of the workspace. Refuses files outside it, even through links, hidden files, and files with keys: a page can
 * talk a model into leaking what it sees.
 */
export async function readWorkspaceFile(path: string, { cwd, maxBytes }: { cwd: string; maxBytes: number }) {
	const root = await realpath(cwd);
	const file = await realpath(resolve(root, path)).catch(() => {
		throw new WebError("FILE_NOT_FOUND", "There is no such file.");
	});
	const inside = relative(root, file);
	const parts = inside.split(sep);
	if (isAbsolute(inside) || parts[0] === "..")
		throw new WebError("INVALID_INPUT", "The file is outside the workspace.");
	if (parts.some((part) => part.startsWith(".")))
		throw new WebError("INVALID_INPUT", "Hidden files are not converted.");
	if (parts.some((part) => SECRET_NAME.test(part))) throw secret();
	// Do not follow a link that was put there since, or wait for the writer of a pipe.
	const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
	try {
		const stats = await handle.stat();
		if (!stats.isFile()) throw new WebError("INVALID_INPUT", "It is not a file.");
		if (stats.size > maxBytes)
			throw new WebError("FILE_TOO_LARGE", `The file is larger than web.maxBytes (${maxBytes}).`);
		const { buffer, bytesRead } = await handle.read(Buffer.alloc(stats.size), 0, stats.size, 0);
		const bytes = buffer.subarray(0, bytesRead);
		if (PRIVATE_KEY.test(bytes.toString("latin1"))) throw secret();
		return { bytes, name: basename(file) };
	} finally {
		await handle.close();
	}
}

const secret = (): WebError => new WebError("INVALID_INPUT", "Files that contain keys or passwords are not converted.");
