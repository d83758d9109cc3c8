import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { onTestFinished } from "vitest";
// @ts-expect-error: a plain script that runs before TypeScript is installed
import { tsserverPath } from "../../scripts/fetch-typescript.mjs";
import type { LspSetup } from "../../src/lsp/session.ts";
import type { Lab, useLab } from "./lab.ts";
import type { TruthProject } from "./truth-projects.ts";

export interface TruthLab {
	lab: Lab;
	/** Empty at first: what servers keep about projects. */
	caches: string;
	/** For each call: only the server in question, and folders of its own for what it keeps. */
	changes: Partial<LspSetup>;
}

/** The project as a fresh clone, and nothing running. */
export function truthLab(openLab: ReturnType<typeof useLab>, project: TruthProject): TruthLab {
	const lab = openLab({ files: {} });
	mkdirSync(join(lab.folder, ".git"));
	for (const [name, text] of Object.entries(project.files)) lab.write(name, text.replaceAll("<folder>", lab.folder));
	const links = { ...project.links, ...(project.server === "typescript-language-server" && OLD_TYPESCRIPT) };
	for (const [link, target] of Object.entries(links)) {
		mkdirSync(dirname(join(lab.folder, link)), { recursive: true });
		symlinkSync(target, join(lab.folder, link));
	}
	const caches = mkdtempSync(join(tmpdir(), "lsp-caches-"));
	onTestFinished(() => rmSync(caches, { recursive: true, force: true }));
	const { servers, env } = lab.session();
	const changes = {
		servers: servers.filter(({ name }) => name === project.server),
		trusted: !project.untrusted,
		env: { ...env, XDG_CACHE_HOME: caches },
	};
	return { lab, caches, changes };
}

/** As a project has it that does not use TypeScript 7 yet. */
const OLD_TYPESCRIPT = { "node_modules/typescript": dirname(dirname(tsserverPath() as string)) };

/** Being there is not enough: rustup puts a program there that only says that it is missing. */
export const isWorking = (program: string): boolean => {
	const { status, error } = spawnSync(program, [program === "go" || program === "gopls" ? "version" : "--version"]);
	return !error && status === 0;
};

/** rust-analyzer is tested where the system has it, see scripts/system-packages.mjs; the others are always there. */
export const isLeftOut = ({ server }: TruthProject): boolean => server === "rust-analyzer" && !isWorking(server);

const digestOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

/** Every file below a folder with a digest of what is in it, links as links. */
export function contentOf(folder: string): Record<string, string> {
	const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
	const described = entries.map((entry) => {
		const path = join(entry.parentPath, entry.name);
		const content = entry.isSymbolicLink() ? readlinkSync(path) : entry.isFile() ? digestOf(path) : "/";
		return [relative(folder, path), content] as const;
	});
	return Object.fromEntries(described);
}
