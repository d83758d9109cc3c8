import type { AgentToolResult, Theme, ToolRenderResultOptions } from "@earendil-works/pi-coding-agent";
import { type Component, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../collect/plain.ts";
import { plural } from "../../run/amounts.ts";
import { isReportedChanges, isSandboxReport } from "../../run/outcome-check.ts";
import { place } from "./announce-view.ts";
import { answerLines } from "./answer.ts";
import { changedLines, outcomeFacts } from "./changed-lines.ts";
import type { Drawing } from "./drawing.ts";
import { expandHint } from "./expand-hint.ts";
import { factLines } from "./fact-lines.ts";
import { fitted } from "./fitted.ts";
import { problemLines } from "./problem-lines.ts";
import { amountOf, fieldsOf, type StoredFields, storedList, textOf } from "./stored.ts";
import { unknownLines } from "./subagent-result.ts";
import { contentText, type ShownProblem, shortText } from "./subagent-view.ts";
import { warningLines } from "./warning-lines.ts";

/** More than a user reads in a terminal. */
const SHOWN_CHARS = 30_000;

/** The answer of a session tool in a line of words; expanded, also the model's version. */
const drawnResult =
	(factsOf: (details: StoredFields, theme: Theme) => string[] | undefined) =>
	(
		result: AgentToolResult<unknown>,
		{ expanded, isPartial }: ToolRenderResultOptions,
		theme: Theme,
		context: { isError: boolean },
	): Component => {
		const details = fieldsOf(result.details) ?? {};
		const text = contentText(result.content);
		const denial = denialIn(details);
		const facts = factsOf(details, theme);
		const ended = endedRunIn(details);
		const hint = expandHint(theme, context);
		return fitted((width) => draw({ theme, width, expanded, hint }));

		function draw(drawing: Drawing): string[] {
			const warnings = (textOf(details.warning) ?? "").split("\n").filter((warning) => warning.trim() !== "");
			const more = () => [
				...warningLines(warnings, drawing),
				...changedLines(ended, drawing),
				...replyLines(details, drawing),
			];
			if (denial) {
				return [...problemLines(denial, "error", drawing), ...factLines(outcomeFacts(ended), drawing), ...more()];
			}
			if (!facts) return unknownLines(text, { isPartial, isError: context.isError }, drawing);
			return [
				...factLines([...facts, ...outcomeFacts(ended)], drawing),
				...more(),
				...(expanded && textOf(details.reply) === undefined ? wholeResult(text, drawing) : []),
			];
		}
	};

export const renderSpawnResult = drawnResult(({ status, runId, model }, theme) =>
	status === "accepted" ? [theme.fg("warning", `● accepted ${runName(runId)}`), ...textIfKnown(model)] : undefined,
);

const SENT = {
	ok: { color: "success", text: "✓ replied" },
	accepted: { color: "warning", text: "● sent" },
	timeout: { color: "warning", text: "● sent, no reply yet" },
} as const;

export const renderSendResult = drawnResult(({ status, runId }, theme) => {
	if (status !== "ok" && status !== "accepted" && status !== "timeout") return undefined;
	return [theme.fg(SENT[status].color, `${SENT[status].text} ${runName(runId)}`)];
});

export const renderListResult = drawnResult(({ sessions, total }) => {
	if (!Array.isArray(sessions)) return undefined;
	const all = Math.max(sessions.length, amountOf(total) ?? 0);
	const count = (state: string) => sessions.filter((row) => fieldsOf(row)?.state === state).length;
	return [
		sessions.length === all ? plural(all, "subagent") : `${sessions.length} of ${plural(all, "subagent")}`,
		...Object.entries(STATES).flatMap(([state, words]) => (count(state) > 0 ? [`${count(state)} ${words}`] : [])),
	];
});

const STATES: Readonly<Record<string, string>> = { running: "running", queued: "queued", ended: "finished" };

export const renderApplyResult = drawnResult(({ done, runId, files }, theme) => {
	const word = APPLIED[textOf(done) ?? ""];
	if (word === undefined) return undefined;
	return [theme.fg("success", `✓ ${word} ${runName(runId)}`), plural(amountOf(files) ?? 0, "file")];
});

const APPLIED: Readonly<Record<string, string>> = {
	applied: "applied",
	undone: "reverted",
	already: "nothing to do for",
};

export const renderHistoryResult = drawnResult(({ messages, agent, state, note }) =>
	Array.isArray(messages)
		? [
				plural(messages.length, "message"),
				...textIfKnown(agent),
				...textIfKnown(STATES[textOf(state) ?? ""]),
				...textIfKnown(note),
			]
		: undefined,
);

export const renderPrincipalsResult = drawnResult(({ agents }) =>
	Array.isArray(agents) ? storedList(agents).flatMap((agent) => textIfKnown(fieldsOf(agent)?.id)) : undefined,
);

/** What a reply says about the run that received the message. Other tools do not say anything about it. */
const endedRunIn = ({ changes, sandbox, runId }: StoredFields) => ({
	changes: isReportedChanges(changes) ? changes : undefined,
	sandbox: isSandboxReport(sandbox) ? sandbox : undefined,
	runId: shortText(runId),
});

/** Nothing was done, or the run that received a message did not end well. */
function denialIn({ status, error, runId }: StoredFields): ShownProblem | undefined {
	const message = textOf(error);
	if (message === undefined || (status !== "error" && status !== "forbidden")) return undefined;
	if (textOf(runId) !== undefined) return { title: `✗ failed ${runName(runId)}`, message };
	return { title: status === "forbidden" ? "✗ forbidden" : "✗ refused", message };
}

/** The subagent's answer, and where there is more. */
function replyLines({ reply, note, runId, sessionKey }: StoredFields, drawing: Drawing): string[] {
	const said = textOf(reply);
	if (said === undefined) return [];
	const cutAt = textOf(note) ?? "";
	const places = [...place("run", runId), ...place("session key", sessionKey)];
	const further = places.flatMap((text) => wrapTextWithAnsi(drawing.theme.fg("dim", text), drawing.width));
	const answer = answerLines(cutAt === "" ? said : `${said}\n\n${cutAt}`, drawing);
	return [...answer, ...(drawing.expanded ? ["", ...further] : [])];
}

function wholeResult(text: string, { theme, width }: Drawing): string[] {
	const shown = plain(text.slice(0, SHOWN_CHARS)).trim();
	return shown === "" ? [] : wrapTextWithAnsi(theme.fg("toolOutput", shown), width);
}

const runName = (runId: unknown): string => shortText(runId) ?? "";

const textIfKnown = (stored: unknown): string[] => {
	const text = shortText(stored);
	return text === undefined ? [] : [text];
};
