import { join } from "node:path";
import { type Reply, text, toolCall } from "../test/helpers/model-steps.ts";
import { repositoryRoot } from "../test/helpers/repository.ts";
import { type Parent, startParent } from "./parent.ts";

const AGENT = "---\nname: looker\ndescription: looks\ntools: read, grep, find, ls\n---\nYou look.\n";
export const AGENTS = { "looker.md": AGENT };

/** A child of ours that answers at once. */
export const finalize = toolCall("subagent_finalize", { status: "SUCCESS", result: "Seen." });

export const piGeon = (extension: string): Promise<Parent> =>
	startParent({
		extension,
		agents: AGENTS,
		env: { PI_GEON_HOST_IDLE_MS: "60000" },
		calls: toolCall("subagent", { agent: "looker", task: "Look." }),
		child: () => finalize,
	});

/** The least that a child session can cost: in the parent's own process, with nothing around it. */
export const bareSessions = (count: number, child: () => Reply = () => text("Seen.")): Promise<Parent> =>
	startParent({
		extension: join(repositoryRoot, "bench", "fixtures", "bare-session.ts"),
		calls: Array.from({ length: count }, () => toolCall("bare", { task: "Look." })),
		child,
		isChild: ({ tools }) => !tools.includes("bare"),
	});

/** A call that does nothing at all: what pi itself needs from the tool call to the next request. */
export const emptyTool = (): Promise<Parent> =>
	startParent({
		extension: join(repositoryRoot, "bench", "fixtures", "empty-tool.ts"),
		calls: toolCall("nothing", { task: "Look." }),
		child: () => text("Seen."),
		isChild: () => false,
	});

/** pi's example extension, which starts a process for each run. */
export const piExample = (): Promise<Parent> => {
	const pi = join(repositoryRoot, "node_modules/@earendil-works/pi-coding-agent");
	return startParent({
		extension: join(pi, "examples", "extensions", "subagent", "index.ts"),
		agents: AGENTS,
		calls: toolCall("subagent", { agent: "looker", task: "Look." }),
		child: () => text("Seen."),
	});
};

/** Any other extension, and the call of its tool that delegates, as JSON. */
export const otherExtension = (extension: string, call: string): Promise<Parent> => {
	const { name, arguments: args } = JSON.parse(call) as { name: string; arguments: object };
	return startParent({
		extension,
		agents: AGENTS,
		calls: toolCall(name, args),
		child: () => text("Seen."),
		isChild: ({ tools }) => !tools.includes(name),
	});
};
