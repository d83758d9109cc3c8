import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { expect, onTestFinished, test, vi } from "vitest";

test("two copies in one process agree about a project, also if it grew something to ask about in between", async () => {
	const cwd = mkdtempSync(join(tmpdir(), "pi-geon-trust-"));
	onTestFinished(() => rmSync(cwd, { recursive: true }));
	const ctx = { cwd, isProjectTrusted: () => true } as ExtensionContext;
	const copy = async () => {
		vi.resetModules();
		return (await import("../../src/config/project-trust.ts")).isTrustedByDecision;
	};
	const [first, second] = [await copy(), await copy()];
	expect(second).not.toBe(first);
	expect(first(ctx)).toBe(false);
	mkdirSync(join(cwd, ".pi"));
	writeFileSync(join(cwd, ".pi", "settings.json"), "{}");
	expect(second(ctx)).toBe(false);
});
