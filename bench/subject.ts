import { join } from "node:path";
import { type Reply, slowToolCall, text, toolCall } from "../test/helpers/model-steps.ts";
import { repositoryRoot } from "../test/helpers/repository.ts";
import { AGENTS, finalize } from "./contenders.ts";
import type { ParentOptions } from "./parent.ts";

/** What is measured side by side with others: an extension, and how its tool is called. */
export interface Subject extends Omit<ParentOptions, "calls"> {
	name: string;
	/** Of its package; pi's own has none. */
	version?: string;
	tool: string;
	arguments: object;
	/** One call that delegates many tasks, for a tool that takes one call a turn. */
	manyInOneCall?: (count: number) => object;
}

export const callOf = ({ tool, arguments: args }: Subject): Reply => toolCall(tool, args);

/** Many delegations in one message, in the form that the tool wants them. */
export const callsOf = (subject: Subject, count: number): Reply =>
	subject.manyInOneCall
		? toolCall(subject.tool, subject.manyInOneCall(count))
		: Array.from({ length: count }, () => callOf(subject));

/** The same as one, written by a model that takes some time for it. */
export const slowCallOf = ({ tool, arguments: args }: Subject, meanwhile: () => Promise<unknown>): Reply =>
	slowToolCall(tool, args, meanwhile);

export const ourSubject = (extension: string, version: string): Subject => ({
	name: "pi-geon",
	version,
	extension,
	agents: AGENTS,
	// As many at once as the others have no limit for; its host stays, as between two tasks of a user.
	config: { agents: { defaults: { subagents: { maxConcurrent: 64 } } } },
	env: { PI_GEON_HOST_IDLE_MS: "60000" },
	tool: "subagent",
	arguments: { agent: "looker", task: "Look." },
	child: () => finalize,
});

export const bareSubject = (): Subject => ({
	name: "a bare session in pi's process",
	extension: join(repositoryRoot, "bench", "fixtures", "bare-session.ts"),
	tool: "bare",
	arguments: { task: "Look." },
	isChild: ({ tools }) => !tools.includes("bare"),
	child: () => text("Seen."),
});

/** The packages that others wrote, and the calls that delegate the same task. */
export const PEERS: Record<string, Pick<Subject, "tool" | "arguments" | "manyInOneCall">> = {
	"@tintinweb/pi-subagents": {
		tool: "Agent",
		arguments: { prompt: "Look.", description: "Look", subagent_type: "looker" },
	},
	// Without `async: false` it returns before the child has answered.
	"pi-subagents": {
		tool: "subagent",
		arguments: { agent: "looker", task: "Look.", async: false },
		// It rejects a second call in the same turn. Its documents have a script for many, which returns what they found.
		manyInOneCall: (count) => ({
			workflowScript: `const results = await runs.all(Array.from({ length: ${count} }, (_, index) =>
  ({ key: "look-" + index, agent: "looker", task: "Look." })));
return results.map((result) => result.output);`,
			globalConcurrencyLimit: count,
			async: false,
		}),
	},
};

export function peerSubject(name: string, { extension, version }: { extension: string; version: string }): Subject {
	const how = PEERS[name];
	if (!how) throw new Error(`${name} is not a known peer.`);
	return {
		name,
		version,
		extension,
		agents: AGENTS,
		...how,
		child: () => text("Seen."),
		isChild: ({ tools }) => !tools.includes(how.tool),
	};
}
