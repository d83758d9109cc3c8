import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { placesIn } from "../../src/ledger/places.ts";
import { parentLog } from "../../src/pi/parent-log.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();
afterEach(() => {
	vi.useRealTimers();
	vi.unstubAllEnvs();
});

test("a key that came with a login is not written into the log, though pi was running before", () => {
	vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
	const agentDir = scratch.folder();
	vi.stubEnv("PI_CODING_AGENT_DIR", agentDir);
	const { dir, parentLog: file } = placesIn(agentDir);
	mkdirSync(dir, { recursive: true, mode: 0o700 });
	parentLog.info("before");
	const key = "h0rse-5taple-17";
	writeFileSync(join(agentDir, "auth.json"), JSON.stringify({ anthropic: { type: "api_key", key } }));
	vi.advanceTimersByTime(60_000);
	parentLog.info("after", { error: `The provider does not take ${key}.` });
	vi.advanceTimersByTime(1000);
	const written = readFileSync(file, "utf8");
	expect(written).toMatch(/before[\s\S]*The provider does not take/);
	expect(written).not.toContain(key);
});
