import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { listPrincipals } from "../../src/operate/principals.ts";
import { choosePrincipal } from "../../src/plan/principal.ts";
import { isRefusal } from "../../src/run/errors.ts";
import { configOf } from "./launching.ts";

/** `main` may target `work`; `work` may target `ops`; `ops` may target any. */
function setUp() {
	const scratch = realpathSync(mkdtempSync(join(tmpdir(), "pi-geon-principal-")));
	onTestFinished(() => rmSync(scratch, { recursive: true }));
	const config = configOf({
		agents: {
			list: [
				{ id: "main", subagents: { allowAgents: ["work"] } },
				{ id: "work", agentDir: join(scratch), subagents: { allowAgents: ["ops"] } },
				{ id: "ops", name: "Operations", agentDir: join(scratch, "ops"), subagents: { allowAgents: ["*"] } },
				{ id: "shared" },
			],
		},
	});
	const chosen = (agentDir: string, agentId?: string) => {
		const choice = choosePrincipal(agentId, { config, agentDir });
		return isRefusal(choice) ? choice.error.message : choice.id;
	};
	return { scratch, config, chosen };
}

describe("reference 002: allowAgents is that of the principal that asks", () => {
	test("which is main, unless pi was started in the directory of another", () => {
		const { scratch, chosen } = setUp();
		expect(chosen("/agent")).toBe("main");
		expect(chosen("/agent", "work")).toBe("work");
		expect(chosen("/agent", "ops")).toContain("Add it to agents.list[main].subagents.allowAgents");
		expect(chosen(scratch)).toBe("work");
		expect(chosen(scratch, "ops")).toBe("ops");
		expect(chosen(scratch, "main")).toContain("Add it to agents.list[work].subagents.allowAgents");
		expect(chosen(join(scratch, "ops"), "shared")).toBe("shared");
	});

	test("also through a link to that directory", () => {
		const { scratch, chosen } = setUp();
		symlinkSync(scratch, join(scratch, "link"));
		expect(chosen(join(scratch, "link"))).toBe("work");
	});

	test("and agents_list tells the same", () => {
		const { scratch, config } = setUp();
		expect(listPrincipals({ config, agentDir: scratch })).toEqual({
			requester: "work",
			allowAny: false,
			agents: [
				{ id: "work", configured: true },
				{ id: "ops", name: "Operations", configured: true },
			],
		});
	});
});
