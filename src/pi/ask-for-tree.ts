import { getAgentDir } from "@earendil-works/pi-coding-agent";
import type { AskForTree } from "../plan/tree.ts";
import { treeOf } from "../trees/ask-for-tree.ts";

/**
 * How long to reuse an answer, so that many simultaneous requests ask git only once. The host checks again when it makes the
 * tree.
 */
const VALID_MS = 2000;

let lastAsked: { question: string; at: number; answer: ReturnType<AskForTree> } | undefined;

/** No tree may contain a copy of pi's own folder, where the credentials are. */
export const askForTree: AskForTree = (cwd, tree) => {
	const question = JSON.stringify([cwd, tree]);
	const now = performance.now();
	if (lastAsked?.question !== question || now - lastAsked.at > VALID_MS) {
		lastAsked = { question, at: now, answer: treeOf(cwd, tree, [getAgentDir()]) };
	}
	return lastAsked.answer;
};
