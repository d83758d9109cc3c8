import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";

/** What a process knows about trust, with a folder and an agent directory of its own. */
async function setUp({ settings = {}, saved = {} }: { settings?: object; saved?: Record<string, boolean> } = {}) {
	const scratch = realpathSync(mkdtempSync(join(tmpdir(), "pi-geon-trust-")));
	onTestFinished(() => rmSync(scratch, { recursive: true }));
	const folder = (name: string) => join(scratch, name);
	for (const name of ["agent", "project"]) mkdirSync(folder(name));
	const save = (decisions: Record<string, boolean>) => {
		const entries = Object.entries(decisions).map(([name, decision]) => [folder(name), decision]);
		writeFileSync(join(folder("agent"), "trust.json"), JSON.stringify(Object.fromEntries(entries)));
	};
	writeFileSync(join(folder("agent"), "settings.json"), JSON.stringify(settings));
	if (Object.keys(saved).length > 0) save(saved);
	vi.stubEnv("PI_CODING_AGENT_DIR", folder("agent"));
	onTestFinished(() => void vi.unstubAllEnvs());
	return { folder, save, ...(await freshCopy()) };
}

/** As an entry of the package, or one of another release, brings its own. */
async function freshCopy() {
	vi.resetModules();
	return import("../../src/config/project-trust.ts");
}

const contextIn = (cwd: string, { piTrusts = true } = {}) =>
	({ cwd, isProjectTrusted: () => piTrusts }) as unknown as ExtensionContext;

/** Brings what pi asks about. */
function grow(folder: string, name = ".pi/settings.json"): void {
	mkdirSync(join(folder, name, ".."), { recursive: true });
	writeFileSync(join(folder, name), "{}");
}

beforeEach(() => {
	Reflect.deleteProperty(globalThis, Symbol.for("pi-geon.trust.2"));
});

const STARTUP = { reason: "startup" } as const;

describe("what appears after the session started does not count", () => {
	test.each([
		["in the folder", "project", ".pi/settings.json"],
		["in a folder above it", "", ".agents/skills/x/SKILL.md"],
	])("%s", async (_, where, name) => {
		const { folder, decideTrust, isTrustedByDecision } = await setUp();
		const ctx = contextIn(folder("project"));
		decideTrust(STARTUP, ctx);
		grow(folder(where), name);
		expect(isTrustedByDecision(ctx)).toBe(false);
		for (const reason of ["reload", "new", "resume", "fork"] as const) decideTrust({ reason }, ctx);
		expect(isTrustedByDecision(ctx)).toBe(false);
	});

	test("nor does what pi saves by itself on a reload", async () => {
		const { folder, save, decideTrust, isTrustedByDecision } = await setUp();
		const ctx = contextIn(folder("project"));
		decideTrust(STARTUP, ctx);
		grow(folder("project"));
		save({ project: true });
		for (const reason of ["reload", "new"] as const) decideTrust({ reason }, ctx);
		expect(isTrustedByDecision(ctx)).toBe(false);
	});

	test("nor what is there when the package is first loaded by a reload", async () => {
		const { folder, decideTrust, isTrustedByDecision } = await setUp();
		grow(folder("project"));
		const ctx = contextIn(folder("project"));
		decideTrust({ reason: "reload" }, ctx);
		expect(isTrustedByDecision(ctx)).toBe(false);
	});

	test("nor what is removed and brought back, after pi was told no", async () => {
		const { folder, decideTrust, isTrustedByDecision } = await setUp();
		grow(folder("project"));
		decideTrust(STARTUP, contextIn(folder("project"), { piTrusts: false }));
		rmSync(join(folder("project"), ".pi"), { recursive: true });
		decideTrust({ reason: "new" }, contextIn(folder("project")));
		grow(folder("project"));
		decideTrust({ reason: "new" }, contextIn(folder("project")));
		expect(isTrustedByDecision(contextIn(folder("project")))).toBe(false);
	});
});

describe("what existed when the session started counts", () => {
	test("once pi has said yes, even after it is gone", async () => {
		const { folder, decideTrust, isTrustedByDecision } = await setUp();
		grow(folder("project"));
		const ctx = contextIn(folder("project"));
		decideTrust(STARTUP, ctx);
		rmSync(join(folder("project"), ".pi"), { recursive: true });
		for (const reason of ["reload", "new"] as const) decideTrust({ reason }, ctx);
		expect(isTrustedByDecision(ctx)).toBe(true);
	});

	test("until pi, or the user, withdraws it", async () => {
		const { folder, save, decideTrust, isTrustedByDecision } = await setUp({ saved: { project: true } });
		const ctx = contextIn(folder("project"));
		decideTrust(STARTUP, ctx);
		expect(isTrustedByDecision(ctx)).toBe(true);
		expect(isTrustedByDecision(contextIn(folder("project"), { piTrusts: false }))).toBe(false);
		save({ project: false });
		decideTrust({ reason: "new" }, ctx);
		save({ project: true });
		decideTrust({ reason: "new" }, ctx);
		expect(isTrustedByDecision(ctx)).toBe(false);
	});
});

describe("a folder", () => {
	test("in which no session started is not trusted", async () => {
		const { folder, isTrustedByDecision } = await setUp({ saved: { project: true } });
		grow(folder("project"));
		expect(isTrustedByDecision(contextIn(folder("project")))).toBe(false);
	});

	test("is the one that a link points to, and not the one it points to later", async () => {
		const { folder, decideTrust, isTrustedByDecision } = await setUp({ saved: { project: true } });
		mkdirSync(folder("hostile"));
		symlinkSync(folder("project"), folder("link"));
		const ctx = contextIn(folder("link"));
		decideTrust(STARTUP, ctx);
		expect(isTrustedByDecision(ctx)).toBe(true);
		expect(isTrustedByDecision(contextIn(folder("project")))).toBe(true);
		rmSync(folder("link"));
		symlinkSync(folder("hostile"), folder("link"));
		grow(folder("hostile"));
		expect(isTrustedByDecision(ctx)).toBe(false);
	});

	test("that was removed is not trusted, and nothing fails", async () => {
		const { folder, decideTrust, isTrustedByDecision } = await setUp({ saved: { project: true } });
		rmSync(folder("project"), { recursive: true });
		decideTrust(STARTUP, contextIn(folder("project")));
		expect(isTrustedByDecision(contextIn(folder("project")))).toBe(false);
	});
});

test("a saved decision overrules the user's default, and a file of decisions that cannot be read holds none", async () => {
	const always = { settings: { defaultProjectTrust: "always" } };
	const { folder, decideTrust, isTrustedByDecision } = await setUp({ ...always, saved: { project: false } });
	decideTrust(STARTUP, contextIn(folder("project")));
	expect(isTrustedByDecision(contextIn(folder("project")))).toBe(false);
	writeFileSync(join(folder("agent"), "trust.json"), "[broken");
	mkdirSync(folder("other"));
	decideTrust(STARTUP, contextIn(folder("other")));
	expect(isTrustedByDecision(contextIn(folder("other")))).toBe(true);
});

test("all copies of this code in one process agree", async () => {
	const { folder, decideTrust, isTrustedByDecision } = await setUp();
	const ctx = contextIn(folder("project"));
	decideTrust(STARTUP, ctx);
	grow(folder("project"));
	const second = await freshCopy();
	expect(second.isTrustedByDecision).not.toBe(isTrustedByDecision);
	second.decideTrust(STARTUP, ctx);
	expect(second.isTrustedByDecision(ctx)).toBe(false);
});

test("in a host, each session follows its parent's decision", async () => {
	const { folder, followPlans } = await setUp();
	followPlans();
	const { decideTrust, isTrustedByDecision } = await freshCopy();
	for (const piTrusts of [true, false]) {
		const ctx = contextIn(folder("project"), { piTrusts });
		decideTrust(STARTUP, ctx);
		expect(isTrustedByDecision(ctx)).toBe(piTrusts);
	}
});
