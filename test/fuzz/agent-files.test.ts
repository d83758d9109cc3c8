import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { discoverAgents } from "../../src/agents/discover.ts";
import { splitFrontmatter } from "../../src/agents/frontmatter.ts";
import { useScratch } from "../agents/scratch.ts";
import fc from "../helpers/fast-check.ts";
import { promptPi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { damaged, seeded } from "./bytes.ts";

const scratch = useScratch();

const GOOD = "---\nname: good\ndescription: still here\ntools: read\n---\nWork.\n";
const FULL = `---
name: full
description: "Every field there is: quoted"
readonly: true
tools: [read, grep, "Bash(git:*)"]
model: provider/model
thinking: high
maxTurns: 3
timeoutMs: 1000
maxCostUsd: 0.5
outputSchema: { type: object, properties: { a: { type: string } }, required: [a] }
---
You do one thing.
`;

function folderOf(files: ReadonlyMap<string, Buffer | string>) {
	const { path } = scratch();
	const userDir = path("agents");
	mkdirSync(userDir);
	for (const [name, content] of files) writeFileSync(path("agents", name), content);
	const discover = () =>
		discoverAgents({
			cwd: path("agents"),
			builtinDir: path("nowhere"),
			userDir,
			homeDir: path("home"),
			includeProject: true,
		});
	return { path: (name: string) => path("agents", name), discover };
}

/** Such a file is a README or the like, and passed over. */
const hasNoFrontmatter = (file: string): boolean => splitFrontmatter(readFileSync(file, "utf8")).kind === "missing";

test("a damaged file is used or named, and never hides the one beside it", () => {
	const { path, discover } = folderOf(new Map([["z-good.md", GOOD]]));
	fc.assert(
		fc.property(fc.array(damaged(FULL), { minLength: 1, maxLength: 3 }), (contents) => {
			const files = contents.map((_, index) => path(`broken-${index}.md`));
			for (const [index, content] of contents.entries()) writeFileSync(path(`broken-${index}.md`), content);
			try {
				const { agents, diagnostics } = discover();
				expect(agents.map(({ name }) => name)).toContain("good");
				for (const file of files) {
					const used = agents.some((agent) => agent.file === file);
					const said = diagnostics.filter((diagnostic) => diagnostic.file === file);
					expect(used || said.length > 0 || hasNoFrontmatter(file)).toBe(true);
					for (const { message, remedy } of said) expect(message && remedy).not.toBe("");
				}
			} finally {
				for (const file of files) rmSync(file);
			}
		}),
		seeded(400),
	);
});

const lines = (count: number, line: (index: number) => string) =>
	Array.from({ length: count }, (_, i) => line(i)).join("\n");
const withField = (yaml: string) => `---\nname: hostile\n${yaml}\n---\nWork.\n`;

describe("a file made to exhaust its reader is read or refused at once, and hides nothing", () => {
	const hostile: [string, string | Buffer][] = [
		[
			"aliases that multiply",
			withField(lines(30, (i) => `a${i}: &a${i} [${i === 0 ? "x" : `*a${i - 1}, *a${i - 1}`}]`)),
		],
		["an alias of itself", withField("model: &a [*a]")],
		["nesting without end", withField(`model: ${"[".repeat(100_000)}`)],
		["nesting that is closed", withField(`model: ${"[".repeat(20_000)}${"]".repeat(20_000)}`)],
		["nested mappings", withField(lines(2000, (i) => `${" ".repeat(i % 1000)}k${i}:`))],
		["thousands of fields", withField(lines(20_000, (i) => `f${i}: 1`))],
		["the same field again and again", withField(lines(20_000, () => "model: a"))],
		["one long line", withField(`description: ${"x".repeat(250_000)}`)],
		["only colons", withField(":".repeat(100_000))],
		["only quotes", withField('"'.repeat(100_001))],
		["a regular expression that backtracks", withField('outputSchema: { type: string, pattern: "(a+)+$" }')],
		["a schema nested deeply", withField(`outputSchema: ${'{"not":'.repeat(2000)}{}${"}".repeat(2000)}`)],
		["a name that is a prototype's", "---\nname: __proto__\n---\n"],
		["a field that is a prototype's", withField("__proto__: { readonly: false }\nconstructor: { prototype: 1 }")],
		["nothing but NUL", Buffer.alloc(200_000)],
		[
			"not UTF-8",
			Buffer.concat([Buffer.from("---\nname: a"), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.from("\n---\n")]),
		],
		["UTF-16", Buffer.from("\ufeff---\nname: a\n---\nbody", "utf16le")],
		["line ends alone", "\r".repeat(200_000)],
		["too large", "x".repeat(10_000_000)],
	];

	test.each(hostile)(
		"%s",
		(_name, content) => {
			const { path, discover } = folderOf(
				new Map<string, Buffer | string>([
					["a-hostile.md", content],
					["z-good.md", GOOD],
				]),
			);
			const { agents, diagnostics } = discover();
			expect(agents.map(({ name }) => name)).toContain("good");
			const used = agents.some(({ name }) => name !== "good");
			const said = diagnostics.some(({ file }) => file === path("a-hostile.md"));
			expect(used || said || hasNoFrontmatter(path("a-hostile.md"))).toBe(true);
			for (const { message } of diagnostics) expect(message.length).toBeLessThan(400);
			// What a hostile file says a thousand times is not said to the user a thousand times.
			expect(diagnostics.length).toBeLessThan(60);
		},
		5_000,
	);
});

describe.skipIf(process.platform === "win32")("what is no file", () => {
	test("links in a circle, links to folders, pipes, sockets and devices are named, and never waited for", async () => {
		const { path, discover } = folderOf(new Map([["z-good.md", GOOD]]));
		symlinkSync(path("b.md"), path("a.md"));
		symlinkSync(path("a.md"), path("b.md"));
		symlinkSync(path("."), path("c-folder.md"));
		mkdirSync(path("d-folder.md"));
		execFileSync("mkfifo", [path("e-pipe.md")]);
		symlinkSync("/dev/zero", path("f-device.md"));
		symlinkSync("/dev/tty", path("g-terminal.md"));
		const server = createServer();
		await new Promise<void>((resolve) => server.listen(path("h-socket.md"), resolve));
		try {
			const { agents, diagnostics } = discover();
			expect(agents.map(({ name }) => name)).toEqual(["good"]);
			const named = diagnostics.map(({ file }) => file.split("/").at(-1));
			const expected = ["a", "b", "c-folder", "e-pipe", "f-device", "g-terminal", "h-socket"];
			expect(named.sort()).toEqual(expected.map((name) => `${name}.md`));
		} finally {
			server.close();
		}
	});

	test.skipIf(process.getuid?.() === 0)("a file that may not be read is named", () => {
		const { path, discover } = folderOf(
			new Map([
				["a-secret.md", FULL],
				["z-good.md", GOOD],
			]),
		);
		chmodSync(path("a-secret.md"), 0);
		const { agents, diagnostics } = discover();
		expect(agents.map(({ name }) => name)).toEqual(["good"]);
		expect(diagnostics).toMatchObject([{ file: path("a-secret.md") }]);
	});
});

const openHome = useHome();

test("what a broken file quotes cannot paint on the terminal when it is reported", async () => {
	const home = await openHome({
		agents: { "a.md": '---\nname: a\n"\\e[2J\\e]0;owned\\a\\u202efield": 1\n---\nWork.\n' },
		config: '{ "\\u001b[31mkey\\u009b2J": 1 }',
		script: () => "Hello.",
	});
	const { code, stderr } = await promptPi(home, "Hi");
	expect(code).toBe(0);
	expect(stderr).toContain("The field name");
	expect(stderr).toContain("Unknown key");
	expect(stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
});
