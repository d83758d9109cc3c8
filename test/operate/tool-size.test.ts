import { join } from "node:path";
import { expect, test } from "vitest";
import { discoverAgents } from "../../src/agents/discover.ts";
import { delegationPolicy } from "../../src/pi/delegation-policy.ts";
import { agentsListTool } from "../../src/pi/tools/agents-list.ts";
import { sessionsHistoryTool } from "../../src/pi/tools/sessions-history.ts";
import { sessionsListTool } from "../../src/pi/tools/sessions-list.ts";
import { sessionsSendTool } from "../../src/pi/tools/sessions-send.ts";
import { sessionsSpawnTool } from "../../src/pi/tools/sessions-spawn.ts";
import { subagentTool } from "../../src/pi/tools/subagent.ts";
import { repositoryRoot } from "../helpers/repository.ts";

const nowhere = join(repositoryRoot, "nowhere");
const { agents } = discoverAgents({
	cwd: nowhere,
	builtinDir: join(repositoryRoot, "agents"),
	userDir: nowhere,
	homeDir: nowhere,
	includeProject: false,
});

/** None of them looks at what it is made from before it is called. */
const none = {} as never;

const sizeOf = ({ name, description, parameters }: { name: string; description: string; parameters: unknown }) =>
	JSON.stringify({ name, description, parameters }).length;

test("all tools and the policy together stay below 3,900 characters", () => {
	const sessionTools = [
		sessionsSendTool(none),
		sessionsListTool(none),
		sessionsHistoryTool(none),
		agentsListTool(none),
	].map(sizeOf);
	const others = [subagentTool({ agents, policy: "" } as never), sessionsSpawnTool(none)].map(sizeOf);
	const sum = (sizes: number[]) => sizes.reduce((a, b) => a + b, 0);
	expect(sum(sessionTools)).toBeLessThan(1_300);
	expect(sum([...sessionTools, ...others, delegationPolicy(agents).length])).toBeLessThan(3_900);
});
