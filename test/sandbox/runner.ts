import { createInterface } from "node:readline";
import {
	createBashToolDefinition,
	createEditToolDefinition,
	createFindToolDefinition,
	createGrepToolDefinition,
	createLsToolDefinition,
	createReadToolDefinition,
	createWriteToolDefinition,
	type ExtensionContext,
	type ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import { ringedTools } from "../../src/child/ringed-tools.ts";
import type { LaunchPlan } from "../../src/plan/plan.ts";
import { probeRing } from "../../src/sandbox/probe.ts";
import { openRing, type RingSetup } from "../../src/sandbox/ring.ts";
import type { Call } from "./attempts.ts";

/** Makes calls of tools as a host makes them, in a process of its own: so another user can. Told what to do line by line. */
export interface Orders {
	cwd: string;
	/** Undefined: pi's tools as they are. */
	ring?: Omit<RingSetup, "abilities">;
}

const settings = {
	getShellPath: () => undefined,
	getShellCommandPrefix: () => undefined,
	getImageAutoResize: () => true,
};

async function toolsFor({ cwd, ring }: Orders): Promise<ToolDefinition[]> {
	if (!ring) {
		const makers = [
			createBashToolDefinition,
			createEditToolDefinition,
			createFindToolDefinition,
			createGrepToolDefinition,
			createLsToolDefinition,
			createReadToolDefinition,
			createWriteToolDefinition,
		];
		return makers.map((make) => make(cwd) as unknown as ToolDefinition);
	}
	const probe = await probeRing();
	if (!probe.can) throw new Error(probe.why);
	const opened = openRing({ ...ring, abilities: probe.abilities });
	const plan = { tools: ["bash", "read", "write", "edit", "ls", "grep", "find"], cwd } as LaunchPlan;
	return ringedTools(plan, { ring: () => opened, settings });
}

async function said(tool: ToolDefinition | undefined, args: Call["args"]): Promise<string> {
	try {
		const result = await tool?.execute(
			"call",
			args as never,
			undefined,
			undefined,
			undefined as unknown as ExtensionContext,
		);
		return (result?.content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const nextLine = async () => (await lines.next()).value as string | undefined;
const tools = await toolsFor(JSON.parse((await nextLine()) ?? "") as Orders);
for (let line = await nextLine(); line !== undefined; line = await nextLine()) {
	const { tool, args } = JSON.parse(line) as Call;
	const answer = await said(
		tools.find(({ name }) => name === tool),
		args,
	);
	process.stdout.write(`${JSON.stringify(answer)}\n`);
}
