import { expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import type { Services } from "../../src/delegate.ts";
import { rehearse } from "../../src/operate/rehearse.ts";
import type { LaunchPlan } from "../../src/plan/plan.ts";
import { systemPorts as ports } from "../../src/processes/system-ports.ts";
import { agentOf, configOf, parentOf } from "../plan/launching.ts";

const fail = (what: string): never => expect.unreachable(`The rehearsal uses ${what}.`);
const untouchable = (what: string) => new Proxy({}, { get: (_, name) => fail(`${what}: ${String(name)}`) });

test("a rehearsal plans and admits a run, and uses nothing of the session: no ledger, no log, no hook, no other process", async () => {
	const admitted: LaunchPlan[] = [];
	const services = {
		catalog: { agents: [agentOf("tools: read")], overridden: [], unusable: [], diagnostics: [] },
		config: configOf({ subagents: { hooks: { start: ["false"], stop: ["false"] } } }),
		agentDir: "/agent",
		sessionsRoot: "/sessions",
		redactor: createRedactor({ secrets: [], homeDir: "/home/ada" }),
		ports,
		profile(plan: LaunchPlan) {
			admitted.push(plan);
			return "p";
		},
		findSession: () => fail("the sessions"),
		ledger: untouchable("the ledger"),
		supervisor: untouchable("the supervisor"),
		log: untouchable("the log"),
	};
	const parent = { ...parentOf, modelSource: async () => fail("a process that loads extensions") };
	await rehearse(parent, services as unknown as Services);
	expect(admitted).toMatchObject([{ agent: "custom", task: "None." }]);
	expect(admitted[0]).not.toHaveProperty("stopHook");
});
