import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { ServerLimits } from "../../src/lsp/server/limits.ts";
import type { LspSetup } from "../../src/lsp/session.ts";
import { type FakeLab, fakeLab } from "./fake-lab.ts";
import { isAlive, useLab } from "./lab.ts";

const openLab = useLab();
const IMPATIENT = { requestMs: 400 };

interface HoverLab extends FakeLab {
	hover(changes?: Partial<LspSetup>): Promise<string>;
}

function fake(how: string, limits: Partial<ServerLimits> = {}): HoverLab {
	const lab = fakeLab(openLab, how, { limits });
	const hover = async (changes?: Partial<LspSetup>) =>
		(await lab.lsp({ action: "hover", file: "a.fake", line: 1, column: 1 }, changes)).text;
	return { ...lab, hover };
}

async function expectDead(lab: FakeLab): Promise<void> {
	await expect.poll(() => lab.startedPids().filter(isAlive)).toEqual([]);
}

describe("a server that", () => {
	test("fails to start is reported with its words and how to install it, and not tried forever", async () => {
		const lab = fake("fails");
		await expect(lab.hover()).rejects.toThrow(
			/^fake failed: it ended with exit code 3, saying: error: no toolchain\. Check that .* works, or install it again: npm install fake\.$/,
		);
		await expect(lab.hover()).rejects.toThrow("exit code 3");
		await expect(lab.hover()).rejects.toThrow(/not started again: it failed 3 times within 5 minutes.*no toolchain/);
		expect(lab.startedPids()).toHaveLength(3);
	});

	test("crashes is started again, once, and the request repeated", async () => {
		const lab = fake("crashes-once");
		expect(await lab.hover()).toContain("hover");
		expect(lab.startedPids()).toHaveLength(2);
		await expect(fake("crashes").hover()).rejects.toThrow("exit code 1");
	});

	test("hangs is reported, ended, and started again by the next call", async () => {
		const lab = fake("hangs", IMPATIENT);
		await expect(lab.hover()).rejects.toThrow("did not answer textDocument/hover within 0.4 s. It was ended");
		await expectDead(lab);
		await expect(lab.hover()).rejects.toThrow("within 0.4 s");
		expect(lab.startedPids()).toHaveLength(2);
	});

	test("hangs at its start is reported and ended", async () => {
		const lab = fake("hangs-at-start", { initializeMs: 400 });
		await expect(lab.hover()).rejects.toThrow("did not answer initialize within 0.4 s");
		await expectDead(lab);
	});

	test("is busy is left alone", async () => {
		// Time to say so, on a busy machine too.
		const lab = fake("busy", { requestMs: 2000 });
		await expect(lab.hover()).rejects.toThrow("It is busy, maybe still reading the project: try again later.");
		expect(lab.startedPids().filter(isAlive)).toHaveLength(1);
	});

	test.each([
		["flood", "it sent 5001 messages"],
		["huge", "it announced a message of 99999999999 bytes"],
		["garbage", 'it wrote "Welcome to the server!'],
	])("sends what nobody can take (%s) is ended, and after some times not started again", async (how, cause) => {
		const lab = fake(how, { floodMessages: 5000 });
		const refused = async () => {
			for (;;) {
				const failure = await lab.hover().catch((error: Error) => error.message);
				if (failure.includes("not started again")) return failure;
				await sleep(20);
			}
		};
		expect(await refused()).toContain(cause);
		expect(lab.startedPids()).toHaveLength(3);
		await expectDead(lab);
	});

	test("is missing is reported with where it was looked for and how to install it", async () => {
		const lab = openLab({
			files: { "a.zig": "", "b.rs": "", "c.go": "", "d.txt": "" },
			servers: [{ name: "zls", command: ["zls-nowhere"], extensions: [".zig"], needsTrust: false }],
		});
		const ask = (file: string) =>
			lab.lsp({ action: "hover", file, line: 1, query: "x" }, { env: { PATH: "/nowhere" } });
		await expect(ask("a.zig")).rejects.toThrow(
			/No language server for \.zig.*`zls-nowhere` is neither on the PATH nor/,
		);
		await expect(ask("c.go")).rejects.toThrow("go install golang.org/x/tools/gopls@latest");
		await expect(ask("b.rs")).rejects.toThrow(
			"rust-analyzer runs build scripts, macros and toolchains of the project: trust the project (/trust",
		);
		await expect(ask("d.txt")).rejects.toThrow("No language server is known for .txt. Known: .zig .ts");
	});

	test("answers with an error, or asks for patience, is understood", async () => {
		await expect(fake("refuses").hover()).rejects.toThrow("fake: internal trouble");
		expect(await fake("modified-twice").hover()).toContain("hover");
	});

	test("asks to edit files is not allowed to", async () => {
		const lab = fake("asks-to-edit");
		await lab.hover();
		await expect.poll(() => lab.log()).toContain("applied: false");
	});
});

test("an abort is passed on, at once, and the server stays", async () => {
	const lab = fake("hangs");
	const controller = new AbortController();
	const asked = lab.hover({ signal: controller.signal });
	await expect.poll(() => lab.log()).toContain("textDocument/hover");
	controller.abort(new Error("stopped by the user"));
	await expect(asked).rejects.toThrow("stopped by the user");
	await expect.poll(() => lab.log()).toContain("$/cancelRequest");
	expect(lab.startedPids().filter(isAlive)).toHaveLength(1);
	await expect(lab.hover({ signal: controller.signal })).rejects.toThrow("stopped by the user");
});

describe("servers are shared", () => {
	test("by all sessions with the same root, even while one starts", async () => {
		const lab = fake("good");
		await Promise.all([lab.hover(), lab.hover(), lab.hover()]);
		expect(lab.startedPids()).toHaveLength(1);
	});

	test("and one session that gives up does not take it from the others", async () => {
		const lab = fake("good");
		const controller = new AbortController();
		const first = lab.hover({ signal: controller.signal });
		const second = lab.hover();
		controller.abort(new Error("stopped"));
		await expect(first).rejects.toThrow("stopped");
		expect(await second).toContain("hover");
		expect(lab.startedPids()).toHaveLength(1);
	});

	test("until they are idle", async () => {
		const lab = fake("good");
		await lab.hover({ idleMs: 50 });
		await expectDead(lab);
		expect(lab.log()).toContain("exit");
		expect(await lab.hover({ idleMs: 50 })).toContain("hover");
	});

	test("until the last session leaves", async () => {
		const lab = fake("good");
		const [one, other] = [{}, {}];
		lab.pool.join(one);
		lab.pool.join(other);
		await lab.hover();
		await lab.pool.leave(one);
		await lab.pool.leave(one);
		expect(lab.startedPids().filter(isAlive)).toHaveLength(1);
		await lab.pool.leave(other);
		expect(lab.startedPids().filter(isAlive)).toEqual([]);
	});

	test("and those unused for the longest time make room for others", async () => {
		const lab = openLab({
			files: Object.fromEntries(["a", "b", "c"].map((name) => [`${name}/tsconfig.json`, "{}"])),
			limits: { servers: 2 },
		});
		for (const name of ["a", "b", "c"]) {
			lab.write(`${name}/x.ts`, `export const ${name} = 1;`);
			await lab.lsp({ action: "symbols", file: `${name}/x.ts` });
		}
		expect(lab.pool.running().map(({ launch }) => basename(launch.root))).toEqual(["b", "c"]);
		await expect.poll(() => lab.pids().filter(isAlive)).toHaveLength(2);
	});

	test("and are restarted on request", async () => {
		const lab = fake("good");
		expect((await lab.lsp({ action: "restart" })).text).toBe("No server was running.");
		await lab.hover();
		expect((await lab.lsp({ action: "servers" })).text).toMatch(
			/^fake \(\.fake\): .*\n {2}running in \.: pid \d+, 0 s, 1 open$/,
		);
		expect((await lab.lsp({ action: "restart", file: "a.fake" })).text).toBe(
			"Ended: fake in .. The next call starts them again.",
		);
		await lab.hover();
		expect(lab.startedPids()).toHaveLength(2);
	});
});

test.each(["stubborn", "grandchild"])("a %s one is ended all the same, with all it started", async (how) => {
	const lab = fake(how);
	await lab.hover();
	expect(lab.startedPids().filter(isAlive).length).toBeGreaterThan(0);
	await lab.pool.dispose();
	await expectDead(lab);
});

test.each(["utf-8", "utf-16", "utf-32"])("positions are right for a server that counts in %s", async (how) => {
	const lab = fake(how);
	const { text } = await lab.lsp({ action: "definition", file: "a.fake", line: 1, query: "two" });
	expect(text).toBe("a.fake:1:8  one 😀 two");
	const character = { "utf-8": 9, "utf-16": 7, "utf-32": 6 }[how];
	const hover = await lab.lsp({ action: "hover", file: "a.fake", line: 1, column: 8 });
	expect(hover.text).toBe(`hover {"line":0,"character":${character}}`);
	const renamed = await lab.lsp(
		{ action: "rename", file: "a.fake", line: 1, column: 8, newName: "T" },
		{ mayWrite: true },
	);
	expect(renamed.text).toContain("+one 😀 Two");
});

test.each([
	["outside", "/etc/hostname is outside the workspace"],
	["overlap", "changes the same place twice"],
	["creates", "would also create a file"],
])("an edit that goes too far (%s) is refused as a whole", async (how, message) => {
	const lab = fake(how);
	const rename = lab.lsp({ action: "rename", file: "a.fake", line: 1, column: 1, newName: "T" }, { mayWrite: true });
	await expect(rename).rejects.toThrow(message);
	expect(readFileSync(join(lab.folder, "a.fake"), "utf8")).toBe("one 😀 two\n");
});

describe("diagnostics that are published", () => {
	test("are awaited until they settle, and again after a change", async () => {
		const lab = fake("publishes");
		const ask = async () => (await lab.lsp({ action: "diagnostics", file: "a.fake" })).text;
		expect(await ask()).toBe("1 warning in 1 file.\na.fake:1:1 warning: late, version 1");
		lab.write("a.fake", "changed\n");
		expect(await ask()).toContain("late, version 2");
	});

	test("never are told as unknown", async () => {
		const { text } = await fake("good", { diagnosticsMs: 500 }).lsp({ action: "diagnostics", file: "a.fake" });
		expect(text).toContain("There was no answer in time about a.fake: unknown, not clean.");
	});
});

test("many locations are cut, and the answer says so", async () => {
	const { text, details } = await fake("good").lsp({ action: "references", file: "a.fake", line: 1, column: 1 });
	expect(text.split("\n")).toHaveLength(101);
	expect(text).toMatch(/\n… the first 100 of 150\.$/);
	expect(details).toMatchObject({ total: 150 });
});
