import { createHash, type Hash } from "node:crypto";
import { constants, type PathLike } from "node:fs";
import { type FileHandle, open, rename, rm, writeFile } from "node:fs/promises";
import type { ChangedFile, TreeBase } from "../run/changes.ts";
import { unpackBundle } from "./bundle.ts";
import { changeWarnings, parseChangedFiles } from "./changed-files.ts";
import type { Checkout } from "./checkout.ts";
import { git, type Repository } from "./git.ts";
import { formatOf, gitConfig, objectsOf, shallowOf, writeGitFolder } from "./git-folder.ts";

export interface Received {
	commit: string;
	files: ChangedFile[];
	warnings: string[];
	sha256: { patch: string; bundle: string };
}

export interface ReceiveOrder {
	/** The bundle. Any program inside the ring may have made it. */
	packed: string;
	checkout: Checkout;
	base: TreeBase;
	/** Where the two files go. */
	patch: string;
	bundle: string;
	/** A temporary folder, which is removed. */
	scratch: string;
	maxBytes: number;
}

const MOST_PATCH_BYTES = 4;

/**
 * Receives a bundle that a child may have made, and makes the patch from it. Changes in a tree come home only this way: as
 * objects that git has checked, on top of the base that was recorded before the child began.
 */
export async function receiveBundle(order: ReceiveOrder): Promise<Received> {
	const { packed, checkout, base, scratch, maxBytes } = order;
	const parts = { bundle: `${order.bundle}.part`, patch: `${order.patch}.part` };
	try {
		const bundle = await copyOut(packed, parts.bundle, maxBytes);
		writeGitFolder(scratch, {
			config: gitConfig(formatOf(checkout), { conversion: [], bare: true }),
			alternates: objectsOf(checkout),
			...shallowOf(checkout),
		});
		const ours: Repository = { gitDir: scratch };
		const commit = await unpackBundle(ours, parts.bundle);
		await git(ours, ["merge-base", "--is-ancestor", base.commit, commit]);
		const range = [base.commit, commit];
		const listed = await git(ours, ["diff", "--raw", "--numstat", "-z", "-M", "--no-abbrev", ...PLAIN_DIFF, ...range]);
		const files = parseChangedFiles(listed.stdout.toString());
		// git keeps the permissions of an existing file.
		await writeFile(parts.patch, "", { mode: 0o600 });
		await git(ours, ["diff", "--binary", "--no-renames", ...PLAIN_PATCH, `--output=${parts.patch}`, ...range]);
		const patch = await digestOf(parts.patch, maxBytes * MOST_PATCH_BYTES);
		await rename(parts.bundle, order.bundle);
		await rename(parts.patch, order.patch);
		return { commit, files, warnings: changeWarnings(files), sha256: { patch, bundle } };
	} finally {
		for (const path of [parts.bundle, parts.patch, scratch]) await rm(path, { recursive: true, force: true });
	}
}

const PLAIN_DIFF = ["--no-ext-diff", "--no-textconv", "--no-color"];

/** Without renames, so that each file is separate and can be tried alone. */
const PLAIN_PATCH = [...PLAIN_DIFF, "--full-index", "--ignore-submodules=all", "--src-prefix=a/", "--dst-prefix=b/"];

/** Copies a file that a child may have made, and returns its digest. Throws if it is not a file, or is too large. */
async function copyOut(from: string, to: string, maxBytes: number): Promise<string> {
	const target = await open(to, "w", 0o600);
	try {
		const digest = await readThrough(from, maxBytes, (part) => target.write(part));
		await target.sync();
		return digest;
	} finally {
		await target.close();
	}
}

/** The digest of a file. Also flushes the file to the disk. */
async function digestOf(file: string, maxBytes: number): Promise<string> {
	return readThrough(
		file,
		maxBytes,
		async () => {},
		(opened) => opened.sync(),
	);
}

/** SHA-256 of a file, to check that it is unchanged; undefined if it is gone. */
export async function digestIfThere(file: string): Promise<string | undefined> {
	return readThrough(file, Number.MAX_SAFE_INTEGER, async () => {}).catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") return undefined;
		throw error;
	});
}

async function readThrough(
	file: PathLike,
	maxBytes: number,
	onPart: (part: Buffer) => Promise<unknown>,
	atEnd: (opened: FileHandle) => Promise<unknown> = async () => {},
): Promise<string> {
	// NONBLOCK, because opening a named pipe in its place would block.
	const source = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	try {
		const found = await source.stat();
		if (!found.isFile()) throw new Error(`${file} is not a file.`);
		if (found.size > maxBytes) throw new Error(`${file} has ${found.size} bytes, more than the ${maxBytes} allowed.`);
		const digest: Hash = createHash("sha256");
		const buffer = Buffer.alloc(1024 * 1024);
		for (let left = maxBytes; ; ) {
			const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, left + 1));
			if (bytesRead === 0) break;
			left -= bytesRead;
			if (left < 0) throw new Error(`${file} has more than the ${maxBytes} bytes allowed.`);
			const part = Buffer.from(buffer.subarray(0, bytesRead));
			digest.update(part);
			await onPart(part);
		}
		await atEnd(source);
		return digest.digest("hex");
	} finally {
		await source.close();
	}
}
