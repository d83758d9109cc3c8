import { existsSync, mkdirSync, mkdtempSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AnswerNotes } from "../../src/lsp/answer-notes.ts";
import { knownServers, optionsOf } from "../../src/lsp/server/definition.ts";
import { serverEnvironment } from "../../src/lsp/server/environment.ts";
import type { ServerLaunch } from "../../src/lsp/server/launch.ts";
import { writingElsewhere } from "../../src/lsp/server/own-folder.ts";
import { launchFor } from "../../src/lsp/session.ts";
import { useLab } from "./lab.ts";

const openLab = useLab();

function folderFor(name: string): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), name)));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

function launchOf(name: string, root: string, caches: string, command?: string[]): ServerLaunch {
	const [definition] = knownServers([]).filter((server) => server.name === name);
	if (!definition) throw new Error(`There is no ${name}.`);
	const env = serverEnvironment({ XDG_CACHE_HOME: caches }, undefined);
	return { definition, command: command ?? definition.command, root, cwd: root, env, trusted: true, idleMs: 1 };
}

test.each(["compile_commands.json", "build/compile_commands.json"])("clangd keeps its index away from %s", (file) => {
	const { folder: root, write } = openLab({ files: {} });
	const caches = folderFor("caches-");
	const commands = write(file, "[]");
	const { command } = writingElsewhere(launchOf("clangd", root, caches));
	const own = command.at(-1)?.replace("--compile-commands-dir=", "") ?? "";
	expect(own.startsWith(join(caches, "pi-geon", "clangd"))).toBe(true);
	expect(readlinkSync(join(own, "compile_commands.json"))).toBe(commands);
	// The same project has the same folder; the user's own choice stays.
	expect(writingElsewhere(launchOf("clangd", root, caches)).command.at(-1)).toBe(`--compile-commands-dir=${own}`);
	const chosen = ["clangd", "--compile-commands-dir=/elsewhere"];
	expect(writingElsewhere(launchOf("clangd", root, caches, chosen)).command).toEqual(chosen);
});

test("Cargo builds elsewhere, leaves the lock file alone and fetches nothing", () => {
	const { folder: root } = openLab({ files: { "Cargo.toml": "" } });
	const caches = folderFor("caches-");
	const { env, definition } = writingElsewhere(launchOf("rust-analyzer", root, caches));
	expect(dirname(env.CARGO_TARGET_DIR ?? "")).toBe(join(caches, "pi-geon", "rust-analyzer"));
	expect(optionsOf(definition)).toEqual({ cargo: { extraArgs: ["--locked"] } });
	const options = { cargo: { features: "all", extraArgs: ["--quiet"] }, check: { command: "clippy" } };
	expect(optionsOf({ ...definition, initializationOptions: options })).toEqual({
		cargo: { features: "all", extraArgs: ["--quiet", "--locked"] },
		check: { command: "clippy" },
	});
	// rust-analyzer has rustup fetch the standard library's sources otherwise.
	expect(env).toMatchObject({ CARGO_NET_OFFLINE: "true", RUSTUP_DIST_SERVER: "file:///nowhere" });
});

test("a cache that is in the project, or cannot be made, is not used", () => {
	const { folder: root, write } = openLab({ files: { "Cargo.toml": "" } });
	const inside = join(root, "cache");
	mkdirSync(inside);
	for (const caches of [inside, write("a-file", "")]) {
		const own = writingElsewhere(launchOf("rust-analyzer", root, caches)).env.CARGO_TARGET_DIR ?? "";
		onTestFinished(() => rmSync(own, { recursive: true, force: true }));
		expect(dirname(own)).toBe(tmpdir());
		expect(existsSync(own)).toBe(true);
	}
	expect(existsSync(join(inside, "pi-geon"))).toBe(false);
});

test("projects that belong together have one server", () => {
	const lab = openLab({
		files: {
			"go.work": "go 1.19\n",
			"core/go.mod": "module core\n",
			"core/a.go": "package core\n",
			"Cargo.toml": "[workspace]\n",
			"crates/a/Cargo.toml": "[package]\n",
			"crates/a/src/lib.rs": "",
		},
	});
	const { servers, ...session } = lab.session({ trusted: true });
	const always = servers.map(({ npmPackage: _, ...server }) => ({ ...server, command: ["/bin/true"] }));
	const rootFor = (file: string) =>
		launchFor({ ...session, servers: always, notes: new AnswerNotes() }, join(lab.folder, file)).root;
	expect(rootFor("core/a.go")).toBe(lab.folder);
	expect(rootFor("crates/a/src/lib.rs")).toBe(lab.folder);
});
