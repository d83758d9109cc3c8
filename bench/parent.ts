import { type Home, type HomeOptions, makeHome } from "../test/helpers/home.ts";
import { cleanup } from "../test/helpers/leaks.ts";
import { type Script, type ScriptedModel, startModel } from "../test/helpers/model.ts";
import type { RecordedRequest } from "../test/helpers/model-request.ts";
import { delay, type Reply, text } from "../test/helpers/model-steps.ts";
import { type RpcClient, startRpc } from "../test/helpers/rpc.ts";

const FIRST_THOUGHT_MS = 1000;

/** A pi that stays open, whose model does as the benchmark says. */
export interface Parent {
	home: Home;
	model: ScriptedModel;
	rpc: RpcClient;
	/** Milliseconds from the parent's tool calls to the request that carries their results. */
	roundTrip(): Promise<number>;
	/** What the tools answered in the last round trip. */
	lastResults(): string[];
	close(): Promise<void>;
}

export interface ParentOptions extends Omit<HomeOptions, "model"> {
	/** What the parent's model calls at each prompt. */
	calls: Reply;
	/** What a child's model says. */
	child: Script;
	isChild?: (request: { tools: readonly string[] }) => boolean;
}

export async function startParent({ calls, child, isChild, ...options }: ParentOptions): Promise<Parent> {
	const script: Script = (request) => {
		if (request.isChild) return child(request);
		if (request.lastUserText !== "Go." || request.lastMessage?.role === "tool") return text("Done.");
		// No model decides in no time whom to ask; what is started ahead has that long.
		return request.turn === 0 ? [delay(FIRST_THOUGHT_MS), calls] : calls;
	};
	const model = await startModel(script, isChild ? { isChild } : {});
	const home = await makeHome({ ...options, model });
	const rpc = startRpc(home);
	await rpc.send({ type: "get_state" });
	let results: string[] = [];
	return {
		home,
		model,
		rpc,
		lastResults: () => results,
		async roundTrip() {
			const before = model.requests.length;
			await rpc.promptAndSettle("Go.", 120_000);
			const parents = model.requests.slice(before).filter((request) => !request.isChild);
			const [asked, told] = parents;
			if (asked?.endedAt === undefined || !told) throw new Error(`No round trip: ${model.describeRequests()}`);
			results = toolResultsOf(told);
			return told.startedAt - asked.endedAt;
		},
		async close() {
			await rpc.close();
			await cleanup(home);
			await model.close();
		},
	};
}

/** The results that a request carries, from its end back to what the model said before. */
export function toolResultsOf({ messages }: RecordedRequest): string[] {
	const last = messages.findLastIndex(({ role }) => role === "assistant");
	return messages.slice(last + 1).flatMap((message) => (message.role === "tool" ? [JSON.stringify(message)] : []));
}

/**
 * A delegation that returned something else than its child's answer was quick for nothing. One result may hold the answers
 * of several.
 */
export function requireAnswers(results: readonly string[], count: number): void {
	const answered = results.join("\n").split("Seen.").length - 1;
	const other = results.find((result) => !result.includes("Seen."));
	if (answered < count || other !== undefined) {
		throw new Error(`${answered} of ${count} came back with the answer. Another: ${other?.slice(0, 300) ?? "nothing"}`);
	}
}
