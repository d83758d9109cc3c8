import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { useScratch } from "../agents/scratch.ts";
import fc from "../helpers/fast-check.ts";
import { damaged, seeded } from "./bytes.ts";

const scratch = useScratch();

const FULL = `// All that matters.
{ subagents: { enabled: true, timeoutMs: 60000, allowWrite: false, disabled: ["tester"], retry: { maxAttempts: 3 } },
  agents: { defaults: { subagents: { maxConcurrent: 4, model: null } },
    list: [{ id: "main", subagents: { allowAgents: ["*"] } }, { id: "other", agentDir: "/somewhere" }] },
  tools: { subagents: { tools: { allow: ["read"], deny: ["bash"] } } } /* the end */ }
`;
const defaults = loadConfig({ userFile: "/nowhere/pi-geon.json" }).config;

const shapeOf = (value: unknown): unknown =>
	typeof value !== "object" || value === null || Array.isArray(value)
		? "value"
		: Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));

test("a damaged file is used as far as it can be read, and otherwise the defaults hold and it is named", () => {
	const { path } = scratch();
	fc.assert(
		fc.property(damaged(FULL), (content) => {
			writeFileSync(path("pi-geon.json"), content);
			const { config, diagnostics } = loadConfig({ userFile: path("pi-geon.json") });
			expect(shapeOf(config)).toEqual(shapeOf(defaults));
			for (const { file, message } of diagnostics) {
				expect(file).toBe(path("pi-geon.json"));
				expect(message).not.toBe("");
			}
			const unusable = diagnostics.some(({ key, severity }) => key === undefined && severity === "error");
			if (unusable) expect(config).toEqual(defaults);
		}),
		seeded(500),
	);
});

test("a damaged file of a project never opens what the user closed", () => {
	const { path, write } = scratch();
	const userFile = write(
		"user.json",
		"{ subagents: { allowWrite: false, maxTurns: 5 }, tools: { subagents: { tools: { deny: ['bash'] } } } }",
	);
	const loose =
		"{ subagents: { allowWrite: true, maxTurns: 99 }, tools: { subagents: { tools: { deny: [], allow: null } } } }";
	fc.assert(
		fc.property(damaged(loose), (content) => {
			writeFileSync(path("project.json"), content);
			const { config } = loadConfig({ userFile, projectFile: path("project.json") });
			expect(config.subagents.allowWrite).toBe(false);
			expect(config.subagents.maxTurns).toBeLessThanOrEqual(5);
			expect(config.tools.subagents.tools.deny).toContain("bash");
		}),
		seeded(300),
	);
});

describe("a file made to exhaust its reader is read or refused at once", () => {
	const hostile: [string, string | Buffer][] = [
		["nesting without end", "[".repeat(200_000)],
		["nested objects", `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`],
		[
			"nested lists where a list of names is expected",
			`{ tools: { subagents: { tools: { deny: ${"[".repeat(5000)}${"]".repeat(5000)} } } } }`,
		],
		["a comment without end", `/*${"*".repeat(200_000)}`],
		["quotes without end", `{ a: "${"\\".repeat(200_000)}`],
		["slashes", "/".repeat(200_000)],
		["thousands of unknown keys", `{ ${Array.from({ length: 15_000 }, (_, index) => `k${index}: 1`).join(", ")} }`],
		[
			"long unknown keys",
			`{ ${Array.from({ length: 200 }, (_, index) => `${"subagents".repeat(100)}${index}: 1`).join(", ")} }`,
		],
		[
			"prototypes",
			'{ "__proto__": { subagents: { allowWrite: true } }, "constructor": { "prototype": { allowWrite: true } } }',
		],
		["a prototype inside", '{ subagents: { "__proto__": { allowWrite: true } } }'],
		["numbers beyond all limits", "{ subagents: { timeoutMs: 1e999, maxTurns: -Infinity, idleTimeoutMs: NaN } }"],
		["nothing but NUL", Buffer.alloc(200_000)],
		["not UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
		["UTF-16", Buffer.from("\ufeff{}", "utf16le")],
		["too large", `{ a: "${"x".repeat(10_000_000)}" }`],
	];

	test.each(hostile)(
		"%s",
		(_name, content) => {
			const { path } = scratch();
			writeFileSync(path("pi-geon.json"), content);
			const { config, diagnostics } = loadConfig({ userFile: path("pi-geon.json") });
			expect(config).toEqual(defaults);
			expect(config.subagents.allowWrite).toBe(false);
			expect(diagnostics.length).toBeGreaterThan(0);
			expect(diagnostics.length).toBeLessThan(60);
			for (const { message } of diagnostics) expect(message.length).toBeLessThan(500);
			expect(Object.hasOwn(Object.prototype, "allowWrite")).toBe(false);
		},
		5_000,
	);

	test("a byte order mark and Windows line ends are nothing special", () => {
		const { path } = scratch();
		writeFileSync(path("pi-geon.json"), `\ufeff{\r\n subagents: { allowWrite: true }\r\n}\r\n`);
		expect(loadConfig({ userFile: path("pi-geon.json") })).toMatchObject({
			config: { subagents: { allowWrite: true } },
			diagnostics: [],
		});
	});
});

test.skipIf(process.platform === "win32")("what is no file is named, and never waited for", () => {
	const { path } = scratch();
	execFileSync("mkfifo", [path("pipe.json")]);
	mkdirSync(path("folder.json"));
	symlinkSync(path("b.json"), path("a.json"));
	symlinkSync(path("a.json"), path("b.json"));
	symlinkSync("/dev/zero", path("device.json"));
	for (const name of ["pipe.json", "folder.json", "a.json", "device.json"]) {
		const { config, diagnostics } = loadConfig({ userFile: path(name) });
		expect(config).toEqual(defaults);
		expect(diagnostics).toMatchObject([{ severity: "error", file: path(name) }]);
	}
});
