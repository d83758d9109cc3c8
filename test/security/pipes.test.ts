import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { findCheckout } from "../../src/trees/checkout.ts";
import { TREE_LIMITS } from "../../src/trees/measure.ts";
import { measureBefore } from "../../src/trees/snapshot.ts";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { PATIENCE_MS } from "../helpers/patience.ts";
import { piVersions, promptPi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { repositoryIn, useGround, userGit } from "../trees/repos.ts";

/** Where a file is expected, a pipe makes who opens it wait without end, and a device has no end. */

const ground = useGround();
const openHome = useHome();

const source = (path: string) => pathToFileURL(join(import.meta.dirname, "..", "..", "src", path)).href;

/** In a process of its own, which can be ended: who waits for a pipe in this one would stop all tests. */
const evaluate = async (module: string, expression: string) => {
	const code = `import * as it from ${JSON.stringify(source(module))}; console.log(JSON.stringify(${expression} ?? null));`;
	const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], { timeout: PATIENCE_MS });
	return JSON.parse((await run).stdout) as unknown;
};

const pipe = (path: string): void => {
	mkdirSync(dirname(path), { recursive: true });
	execFileSync("mkfifo", [path]);
};

const endless = (path: string): void => symlinkSync("/dev/zero", path);

describe.each([
	["a pipe", pipe],
	["a link to a device", endless],
])("%s in the place of", (_what, make) => {
	test(".git does not say what the checkout is, and is not waited for", async () => {
		const folder = ground.folder();
		make(join(folder, ".git"));
		writeFileSync(join(folder, "AGENTS.md"), "Be kind.\n");
		expect(await evaluate("files/repository.ts", `it.mainCheckoutOf(${JSON.stringify(folder)})`)).toBeNull();
		const files = `it.contextFiles(${JSON.stringify({ cwd: folder, agentDir: "/nowhere", hidden: [] })}, () => {}).map(({ content }) => content)`;
		expect(await evaluate("child/context-files.ts", files)).toContain("Be kind.\n");
	});

	test("the folder that a .git names does not either", async () => {
		const folder = ground.folder();
		mkdirSync(join(folder, "elsewhere"));
		writeFileSync(join(folder, ".git"), "gitdir: elsewhere\n");
		make(join(folder, "elsewhere", "commondir"));
		make(join(folder, "elsewhere", "gitdir"));
		expect(await evaluate("files/repository.ts", `it.mainCheckoutOf(${JSON.stringify(folder)})`)).toBeNull();
	});

	test("AGENTS.md, an agent or a configuration file is passed over", async () => {
		const folder = ground.folder();
		mkdirSync(join(folder, ".pi", "agents"), { recursive: true });
		for (const name of ["AGENTS.md", "AGENTS.override.md", "TOOLS.md", ".pi/agents/explorer.md", ".pi/pi-geon.json"])
			make(join(folder, name));
		writeFileSync(join(folder, "CLAUDE.md"), "Be kind.\n");
		const files = `it.contextFiles(${JSON.stringify({ cwd: folder, agentDir: "/nowhere", hidden: [] })}, () => {}).map(({ content }) => content)`;
		expect(await evaluate("child/context-files.ts", files)).toContain("Be kind.\n");
		const places = {
			cwd: folder,
			builtinDir: "/nowhere",
			userDir: "/nowhere",
			homeDir: "/nowhere",
			includeProject: "always",
		};
		const agents = `it.discoverAgents(${JSON.stringify(places)}).diagnostics.map(({ message }) => message)`;
		expect(await evaluate("agents/discover.ts", agents)).toContainEqual(expect.stringContaining("it is not a file"));
		const config = `it.readConfigFile(${JSON.stringify(join(folder, ".pi/pi-geon.json"))}, [], { isKnown: false })`;
		expect(await evaluate("config/read-file.ts", config)).toBe("unusable");
	});
});

describe("a pipe that git would wait for", () => {
	test.each([".gitignore", "dir/.gitattributes", "new/.gitignore", ".git/info/exclude", ".git/HEAD"])(
		"as %s, left by a subagent in its tree, does not keep its work from coming home",
		async (name) => {
			const main = repositoryIn(join(ground.folder(), "project"), { a: "1\n", "dir/b": "b\n" });
			const { path, harvest } = await ground.tree(main);
			writeFileSync(join(path, "a"), "2\n");
			execFileSync("rm", ["-f", join(path, name)]);
			pipe(join(path, name));
			expect((await harvest())?.files).toMatchObject([{ path: "a", status: "M" }]);
		},
	);

	test.each(["sharedindex.0", "index"])("as .git/%s is not copied", async (name) => {
		const main = repositoryIn(join(ground.folder(), "project"), { a: "1\n" });
		execFileSync("rm", ["-f", join(main, ".git", name)]);
		pipe(join(main, ".git", name));
		const repository = { gitDir: join(main, ".git"), commonDir: join(main, ".git"), format: "sha1" };
		const settings = { conversion: [], excludes: [], attributes: [], named: [], hooks: [], hasFilters: false };
		const checkout = { top: main, prefix: "", settings, repository };
		const order = { checkout, folder: ground.folder(), limits: TREE_LIMITS, link: [], submodules: "warn" };
		const refused = `await it.commitCheckout(${JSON.stringify(order)}).catch(({ message }) => message)`;
		expect(await evaluate("trees/snapshot.ts", refused)).toContain(`.git/${name} is not a file`);
	});

	test("as .gitattributes keeps neither a tree nor a pack for a worker waiting", async () => {
		const main = repositoryIn(join(ground.folder(), "project"), { a: "1\n" });
		writeFileSync(join(main, "a"), "2\n");
		// So old that git trusts the index, and reads no attributes to see whether it changed.
		utimesSync(join(main, "a"), 1, 1);
		userGit(main, "add", "a");
		pipe(join(main, ".gitattributes"));
		const limits = { limits: TREE_LIMITS, link: [], submodules: "warn" };
		const order = { ...limits, checkout: await findCheckout(main), folder: join(ground.folder(), "tree") };
		const tree = await evaluate("trees/snapshot.ts", `await it.snapshot(${JSON.stringify(order)})`);
		expect(tree).toMatchObject({ base: { dirty: true } });
		const wish = { ...limits, cwd: main, scratch: join(ground.folder(), "pack"), hidden: [], secret: [] };
		const packed = `(await it.packRepository(${JSON.stringify(wish)})).repository`;
		expect(await evaluate("pool/repository/pack.ts", packed)).toMatchObject({ dirty: true });
	});

	test("in the checkout ends the look at it, and the refusal says what to look for", async () => {
		const main = repositoryIn(join(ground.folder(), "project"), { a: "1\n" });
		const checkout = await findCheckout(main);
		pipe(join(main, "dir", ".gitignore"));
		const order = { checkout, limits: TREE_LIMITS, link: [], submodules: "warn", patienceMs: 500 } as const;
		await expect(measureBefore(order, ground.folder())).rejects.toThrow(
			/within 1 s\. A pipe in the place of a \.gitignore/,
		);
	});
});

describe.each(piVersions)("on pi %s", (version) => {
	test("pipes that appear in the project hold up neither a delegation nor its tools", async () => {
		const names = "AGENTS.md CLAUDE.md TOOLS.md .pi/pi-geon.json .pi/agents/explorer.md .claude/agents/a.md b.ts";
		const home = await openHome({
			files: { "a.ts": "export const greeting = 1;\n" },
			script: dispatch({
				parent: [
					toolCall("bash", { command: `mkdir -p .pi/agents .claude/agents && mkfifo ${names} && ls` }),
					delegateTo("explorer", "What is it?"),
					text("Done."),
				],
				child: ({ turn, toolResults }) =>
					[
						toolCall("read", { path: "b.ts" }),
						toolCall("lsp", { action: "symbols", file: "b.ts" }),
						toolCall("read", { path: "a.ts" }),
					][turn] ?? finalize(toolResults.map((result) => result.text).join("\n---\n")),
			}),
		});
		const run = await promptPi(home, "Go.", { version });
		const result = delegations(run)[0]?.finalized?.result ?? "";
		expect(result, run.stderr).toContain("is not a file");
		expect(result).toContain("export const greeting = 1");
	});
});
