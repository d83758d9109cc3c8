import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, isAbsolute, resolve } from "node:path";
import {
	type ExtensionAPI,
	type ExtensionContext,
	getAgentDir,
	parseArgs,
	type SessionStartEvent,
} from "@earendil-works/pi-coding-agent";
import { packageRoot } from "../config/package-root.ts";
import { isTrustedByDecision } from "../config/project-trust.ts";
import { extensionArea, isInside, leadsInto } from "../files/project-area.ts";
import { readRegularFile } from "../files/regular-file.ts";

/**
 * Remembers the extensions of a project as pi loaded them. By the time a child loads one, it may be another file, since a
 * branch brings its own. In an untrusted project, a child loads it only if it is unchanged since the session started.
 */
export function rememberExtensions(
	{ reason }: Pick<SessionStartEvent, "reason">,
	pi: ExtensionAPI,
	ctx: ExtensionContext,
): void {
	// For other reasons, pi loaded its extensions long before.
	if ((reason !== "startup" && reason !== "reload") || isTrustedByDecision(ctx)) return;
	const onCommandLine = parseArgs(process.argv.slice(2)).extensions ?? [];
	const loaded = [...pi.getAllTools(), ...pi.getCommands()].map(({ sourceInfo }) => sourceInfo.path);
	const files = [...onCommandLine.map((path) => resolve(path)), ...loaded.filter((path) => isAbsolute(path))];
	const others = [...new Set(files)].filter((file) => !isInPackage(file));
	if (others.length === 0) return;
	const area = extensionArea(ctx.cwd, getAgentDir());
	for (const file of others.filter((path) => leadsInto(path, area))) {
		const digest = contentDigest(file);
		if (digest !== undefined) digests().set(file, digest);
	}
}

/** Which of this pi's extensions a child may load, as they are now. */
export function loadableAgain(ctx: ExtensionContext): (file: string) => boolean {
	if (isTrustedByDecision(ctx)) return () => true;
	const area = extensionArea(ctx.cwd, getAgentDir());
	const answers = new Map<string, boolean>();
	return (file) => {
		const answer = answers.get(file) ?? (isInPackage(file) || !leadsInto(file, area) || isUnchanged(file));
		answers.set(file, answer);
		return answer;
	};
}

/** Every host loads our own files, even if they lie in a project. */
const isInPackage = (file: string): boolean => isInside(packageRoot(), file);

function isUnchanged(file: string): boolean {
	const digest = digests().get(file);
	return digest !== undefined && digest === contentDigest(file);
}

/** For messages: why an extension was not loaded, and how to change that. */
export const whyNotAgain = (files: readonly string[]): string =>
	`${files.join(", ")} lies in this project, which is not trusted (/trust), and may not be what pi loaded when the session started`;

/** Packages that pi itself provides to extensions, even if the project installs them too. */
const OF_PI = /^(@earendil-works\/pi-|@mariozechner\/pi-|@sinclair\/typebox(\/|$)|typebox(\/|$))/;
const IMPORTS = /\b(?:from|import|require)\s*\(?\s*(["'`])([^"'`]*)\1/g;
const COMPUTED_IMPORT = /\b(?:import|require)\s*\(\s*(?!["'`\s])/;
const MOST_IMPORTED = 200;

/**
 * The digest of a file and of all files that it imports. Undefined if it is unknown: the file imports a package, which the
 * project installs, or a file without its full name, so that another one could take its place.
 */
function contentDigest(file: string): string | undefined {
	const hash = createHash("sha256");
	const ahead = [file];
	const seen = new Set(ahead);
	try {
		for (let path = ahead.shift(); path !== undefined; path = ahead.shift()) {
			const text = readRegularFile(path);
			if (COMPUTED_IMPORT.test(text) || seen.size > MOST_IMPORTED) return undefined;
			hash.update(`${path}\0${realpathSync(path)}\0${text.length}\0${text}`);
			for (const [, , name = ""] of text.matchAll(IMPORTS)) {
				if (isBuiltin(name) || OF_PI.test(name)) continue;
				if (!/^\.{1,2}\//.test(name)) return undefined;
				const imported = resolve(dirname(path), name);
				if (!seen.has(imported)) ahead.push(imported);
				seen.add(imported);
			}
		}
		return hash.digest("hex");
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined; // It is gone, a folder, or may not be read.
		throw error;
	}
}

const EXTENSION_DIGESTS = Symbol.for("pi-geon.extension-digests.1");

/** Kept across reloads of this extension, since other sessions of the process need them. */
function digests(): Map<string, string> {
	const shared = globalThis as { [EXTENSION_DIGESTS]?: Map<string, string> };
	shared[EXTENSION_DIGESTS] ??= new Map();
	return shared[EXTENSION_DIGESTS];
}
