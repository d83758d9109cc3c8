import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { AgentDefinition } from "../agents/definition.ts";
import { inOneLine } from "../collect/plain.ts";
import { isInherit } from "../plan/model-name.ts";
import type { Approval, ProjectAgentQuestion } from "../plan/trusted-definition.ts";
import { inTurn } from "./dialog-line.ts";

/** The first choice, where pi's cursor is, so that pressing Enter without reading allows nothing. */
const NO = "No";
const YES = "Yes, for this session";

/** Longer lines push the question off the screen. */
const LONGEST_DIALOG_LINE = 200;

/**
 * Asks the user once a session about each agent of an untrusted project, and again if its file was edited. There is no answer
 * if the call is aborted or pi leaves the session (`over`).
 */
export function projectAgentApprovals(
	over: AbortSignal,
): (ctx: ExtensionContext, question: ProjectAgentQuestion) => Promise<Approval> {
	const answers = new Map<string, Promise<Approval>>();
	return (ctx, question) => {
		if (!ctx.hasUI) return Promise.resolve("nobody");
		const { agent, tools } = question;
		const key = [agent.file, agent.digest, ...tools].join("\n");
		const known = answers.get(key);
		if (known) return known;
		const { ui } = ctx;
		const signal = ctx.signal ? AbortSignal.any([over, ctx.signal]) : over;
		const ask = () => ui.select(approvalText(question), [NO, YES], { signal });
		const answer = inTurn(ui, ask, signal).then(
			(chosen): Approval => {
				if (signal.aborted) answers.delete(key);
				return chosen === YES ? "approved" : "declined";
			},
			(error) => {
				answers.delete(key);
				throw error;
			},
		);
		answers.set(key, answer);
		return answer;
	};
}

/** Shows each text of the project as one plain line, so that it cannot paint on the terminal or pass for our words. */
function approvalText({ agent, tools, replaces }: ProjectAgentQuestion): string {
	const instead =
		replaces &&
		(replaces.source === "builtin"
			? `It replaces the built-in ${replaces.name}.`
			: `It replaces your agent ${replaces.name} (${replaces.file}).`);
	const lines = [
		`Run the project's agent "${agent.name}"?`,
		"This project is not trusted. The agent's instructions come from",
		agent.file,
		`Tools: ${tools.length === 0 ? "none" : tools.join(", ")}`,
		`Model: ${[isParents(agent) ? "that of this session" : agent.model, ...(agent.fallbackModels ?? [])].join(", then ")}`,
		...(agent.context === "fork" ? ["Context: it starts from a copy of this conversation"] : []),
		...(instead === undefined ? [] : [instead]),
	];
	return lines.map((line) => middleCut(inOneLine(line))).join("\n");
}

const isParents = ({ model }: AgentDefinition): boolean => model === undefined || isInherit(model);

/** Keeps the end of a long line too, since it names the file. */
function middleCut(line: string): string {
	if (line.length <= LONGEST_DIALOG_LINE) return line;
	const half = (LONGEST_DIALOG_LINE - 3) / 2;
	return `${line.slice(0, half)} … ${line.slice(-half)}`.toWellFormed();
}
