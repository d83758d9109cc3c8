import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AgentDefinition } from "../../src/agents/definition.ts";
import { WriteConsents } from "../../src/operate/write-consents.ts";
import { WriteQuestions } from "../../src/pi/write-consent.ts";

let folder: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "pi-geon-consent-"));
	vi.stubEnv("PI_CODING_AGENT_DIR", join(folder, "agent"));
	mkdirSync(join(folder, "project"));
});

afterEach(() => {
	vi.unstubAllEnvs();
	rmSync(folder, { recursive: true });
});

const agent = { name: "fixer", file: "/agents/fixer.md", digest: "d1", source: "user" } as AgentDefinition;
const questions = () => new WriteQuestions(new AbortController().signal);

interface Shown {
	titles: string[];
	notices: string[];
	ctx: ExtensionContext;
}

/** A user who gives these answers, one after the other. */
function userWho(...answers: (string | undefined)[]): Shown {
	const titles: string[] = [];
	const notices: string[] = [];
	const select = async (title: string) => {
		titles.push(title);
		return answers[titles.length - 1];
	};
	const ui = { select, notify: (text: string) => notices.push(text) };
	const ctx = { hasUI: true, ui, cwd: join(folder, "project"), isProjectTrusted: () => true };
	return { titles, notices, ctx: ctx as unknown as ExtensionContext };
}

test("what a file is called, and what it calls its tools, is shown in bounds and does nothing else", async () => {
	const { titles, ctx } = userWho("No (default)");
	const hostile = { ...agent, file: `/a/${"x".repeat(5_000)}\n\x1b[31mTrusted by pi\x1b[0m.md` };
	await questions().ask(ctx, hostile, [
		"bash\n\x1b]0;title\x07No",
		...Array.from({ length: 500 }, (_, n) => `tool_${n}`),
	]);
	expect(titles[0]).not.toMatch(/(?!\n)\p{Cc}/u);
	expect(titles[0]?.split("\n")).toHaveLength(2);
	expect(titles[0]).toMatch(
		/^fixer asks for bash .* and \d+ more\. Let it write in your checkout\?\n….*Trusted by pi\.md$/,
	);
	expect(titles[0]?.length).toBeLessThan(500);
});

test("calls side by side share one question, and each version of a file has its own", async () => {
	const { titles, ctx } = userWho("This session", undefined);
	const asking = questions();
	const both = [asking.ask(ctx, agent, ["bash"]), asking.ask(ctx, agent, ["bash"])];
	expect(await Promise.all(both)).toEqual(["given", "given"]);
	expect(await asking.ask(ctx, { ...agent, digest: "d2" }, ["bash"])).toBe("refused");
	expect(await asking.ask(ctx, agent, ["bash"])).toBe("given");
	expect(titles).toHaveLength(2);
});

test("a file of answers that is damaged grants nothing", async () => {
	mkdirSync(join(folder, "agent", "pi-geon"), { recursive: true });
	const file = join(folder, "agent", "pi-geon", "write-consents.json");
	for (const damaged of ["{", "[]", '{"always":{}}', '{"always":[{"agent":"fixer","digest":"d1"}]}']) {
		writeFileSync(file, damaged);
		expect(await questions().ask(userWho("No (default)").ctx, agent, ["bash"])).toBe("refused");
	}
});

test("an Always that cannot be saved holds for the session, and the user is told", async () => {
	writeFileSync(join(folder, "agent"), "not a folder");
	const { titles, notices, ctx } = userWho("Always, until its file changes");
	const asking = questions();
	expect(await asking.ask(ctx, agent, ["bash"])).toBe("given");
	expect(await asking.ask(ctx, agent, ["bash"])).toBe("given");
	expect(titles).toHaveLength(1);
	expect(notices[0]).toMatch(/fixer may write in this session only: E/);
});

test("forgetting takes back an answer of the session and one for good", async () => {
	const { ctx } = userWho("Always, until its file changes", "This session", "No (default)");
	const asking = questions();
	await asking.ask(ctx, agent, ["bash"]);
	await asking.ask(ctx, { ...agent, digest: "d2" }, ["bash"]);
	expect(asking.writing(agent)).toEqual({ always: expect.any(Number) });
	expect(asking.forget("fixer")).toBe(2);
	expect(asking.forget("fixer")).toBe(0);
	expect(await asking.ask(ctx, agent, ["bash"])).toBe("refused");
	expect(asking.writing(agent)).toBe("refused");
});

test("what the user allowed for good can be changed by the user alone, even if others could change it before", () => {
	const file = join(folder, "agent", "consents.json");
	const consents = new WriteConsents(file);
	consents.add(agent, 1);
	chmodSync(file, 0o666);
	consents.add({ ...agent, name: "other", digest: "d2" }, 2);
	expect(statSync(file).mode & 0o777).toBe(0o600);
});
