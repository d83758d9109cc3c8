import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { currentRedactor } from "../../../src/collect/redact/current-redactor.ts";

test("secrets that were known once stay known: of a file that is just being written, of one with a mistake, and old ones", () => {
	vi.useFakeTimers({ toFake: ["performance"] });
	const dir = mkdtempSync(join(tmpdir(), "pg-secrets-"));
	onTestFinished(() => {
		vi.useRealTimers();
		rmSync(dir, { recursive: true });
	});
	mkdirSync(join(dir, "work"));
	const write = (name: string, text: string) => writeFileSync(join(dir, name), text);
	const auth = (key: string) => JSON.stringify({ some: { type: "api_key", key } });
	write("auth.json", auth("heron.wader?basalt-1"));
	write("work/auth.json", auth("heron.wader?basalt-2"));
	const principals = [{ id: "main" }, { id: "work", agentDir: join(dir, "work") }];
	write("pi-geon.json", JSON.stringify({ agents: { list: principals } }));
	const { redact } = currentRedactor(dir);
	expect(redact("heron.wader?basalt-1 heron.wader?basalt-2 heron.wader?basalt-3")).toBe(
		"[redacted] [redacted] heron.wader?basalt-3",
	);

	for (const [name, text] of [
		["auth.json", ""],
		["pi-geon.json", "{"],
		["auth.json", auth("heron.wader?basalt-3")],
	] as const) {
		write(name, text);
		vi.advanceTimersByTime(1100);
		expect(redact("heron.wader?basalt-1 heron.wader?basalt-2")).toBe("[redacted] [redacted]");
	}
	expect(redact("heron.wader?basalt-3")).toBe("[redacted]");

	// A file that cannot even be looked at is not a reason to show anything, or to fail.
	rmSync(join(dir, "models.json"), { force: true });
	symlinkSync("models.json", join(dir, "models.json"));
	vi.advanceTimersByTime(1100);
	expect(redact("heron.wader?basalt-3")).toBe("[redacted]");
});

test("the home in which a run or the agent directory is stays readable", () => {
	const ofRun = currentRedactor("/home/pigeon-agent/.pi/agent", { cwd: "/home/pigeon-run/app" });
	const text = "/home/pigeon-run/app/x.ts:12 /home/pigeon-agent/.pi/agent/sessions/x";
	expect(ofRun.redact(`${text} /home/pigeon-other/x`)).toBe(`${text} ~/x`);
	const ofAnother = currentRedactor("/home/pigeon-agent/.pi/agent", { cwd: "/srv/app" });
	expect(ofAnother.redact(text)).toBe("~/app/x.ts:12 /home/pigeon-agent/.pi/agent/sessions/x");
});
