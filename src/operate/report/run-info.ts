import { inOneLine, plain } from "../../collect/plain.ts";
import type { Limits } from "../../plan/plan.ts";
import { count, dollars, duration, plural } from "../../run/amounts.ts";
import { reshaped } from "../../run/redacted.ts";
import { headOfText } from "../excerpt.ts";
import type { RunInfo } from "../info.ts";
import { attemptInWords } from "./attempt-words.ts";
import { type Fact, factsTo } from "./layout.ts";
import { type Painted, stateColor } from "./state-color.ts";
import { consumedInDetail, elapsed, type Reading, stateInWords, timeInWords } from "./words.ts";

const ANSWER_CHARS = 2000;

/** Everything that is known about one run. */
export function runInfoReport(info: RunInfo, { width, now, paint }: Reading & Painted): string[] {
	const facts = factsTo(width, runFacts(info, now));
	const color = stateColor(info);
	const word = stateInWords(info);
	// The state is the first fact, so it is in the first line with its word.
	const at = facts.findIndex((line) => line.includes(word));
	const painted = facts.map((line, index) =>
		paint && color && index === at ? line.replace(word, () => paint(color, word)) : line,
	);
	return [`Run ${info.runId} (#${info.number})`, "", ...painted];
}

/** The facts about one run, for callers with their own layout. They contain no terminal control characters. */
export function runFacts(info: RunInfo, now: number): Fact[] {
	return [...whereItStands(info, now), ...whatItIs(info), ...whereItIs(info), ...whatItSaid(info)];
}

function whereItStands(info: RunInfo, now: number): Fact[] {
	const exit = info.exitCode === undefined ? "" : ` (exit code ${info.exitCode})`;
	return [
		fact("state", `${stateInWords(info)}${exit}, ${elapsed(info, now)}`),
		fact("asks", info.asks && `${info.asks} (waiting for the user's answer)`),
		fact("accepted", timeInWords(info.createdAt)),
		fact("started", info.startedAt === undefined ? "not yet" : timeInWords(info.startedAt)),
		fact("finished", info.endedAt === undefined ? undefined : timeInWords(info.endedAt)),
		fact("stop", info.stop && `requested by ${info.stop.by}, ${timeInWords(info.stop.at)}`),
		// The attempts of a run in a pool are the processes here that wait for it. There may be very many.
		fact("attempt", info.away ? `${info.attempt}` : `${info.attempt} of at most ${info.maxAttempts}`),
		...(info.attempt > 1 ? attemptFacts(info, now) : []),
		fact("host", info.host),
		fact("pool", info.away && awayInWords(info.away)),
		fact("usage", consumedInDetail(info.usage)),
		fact("delivery", deliveryInWords(info)),
		fact("cleanup", cleanupInWords(info)),
		fact("messages", info.messagesWaiting > 0 ? `${info.messagesWaiting} not received yet` : undefined),
	].flat();
}

function awayInWords({ pool, worker, since, trouble }: NonNullable<RunInfo["away"]>): string {
	const where = worker === undefined ? "waiting for a worker" : `with ${worker}`;
	const because = trouble === undefined ? "" : `, cannot be reached: ${inOneLine(trouble)}`;
	return `${pool}, ${where} since ${timeInWords(since)}${because}`;
}

/** One line for each. */
function attemptFacts({ attempt, attempts }: RunInfo, now: number): Fact[] {
	return Array.from({ length: attempt }, (_, index) => {
		const known = attempts.find(({ number }) => number === index + 1);
		return { name: `attempt ${index + 1}`, value: known ? inOneLine(attemptInWords(known, now)) : "not known" };
	});
}

function whatItIs(info: RunInfo): Fact[] {
	return [
		fact("agent", `${info.agent} (${info.agentFile})`),
		fact("label", info.label && `"${info.label}"`),
		{ name: "task", value: plain(info.task) },
		fact("kind", info.kind),
		fact("model", info.thinking === undefined ? info.model : `${info.model}, thinking ${info.thinking}`),
		fact("fallback", info.fallbackModels?.join(", then ")),
		fact("tools", info.tools.join(", ")),
		fact("sandbox", info.sandbox),
		fact("changes", info.changes),
		fact("skills", info.skills?.join(", ")),
		fact("context", info.context && "fork: began with a copy of the conversation"),
		fact("limits", limitsInWords(info.limits)),
		fact("directory", info.cwd),
		fact("agent id", info.principal === "main" ? undefined : info.principal),
	].flat();
}

/** Comes last, since it may be long. */
function whatItSaid(info: RunInfo): Fact[] {
	const answer = info.answer === undefined ? "" : headOfText(reshaped(info.answer, plain), ANSWER_CHARS);
	return [
		...info.warnings.flatMap((warning) => fact("warning", warning)),
		...fact("error", info.error),
		...(answer === "" ? [] : [{ name: info.phase === "ended" ? "answer" : "so far", value: answer }]),
	];
}

function whereItIs(info: RunInfo): Fact[] {
	return [
		fact("session id", info.sessionId),
		fact("session key", info.sessionKey),
		fact("transcript", info.transcript ?? "none"),
		fact("asked by", `session ${info.parentSession}`),
	].flat();
}

function deliveryInWords({ delivery, deliveredAt, kind }: RunInfo): string {
	if (delivery === undefined) return "owed when the run has finished";
	if (delivery === "owed") return "owed: the report has not reached the conversation yet";
	const how = kind === "background" ? "" : " (as the result of the tool)";
	const at = deliveredAt === undefined ? "" : ` ${timeInWords(deliveredAt)}`;
	return delivery === "skipped" ? `skipped${at}: the subagent asked not to be announced` : `delivered${at}${how}`;
}

function cleanupInWords({ cleanup, archivedAt }: RunInfo): string {
	return archivedAt === undefined ? cleanup : `${cleanup}, transcript archived ${timeInWords(archivedAt)}`;
}

function limitsInWords(limits: Limits): string {
	const { timeoutMs, idleTimeoutMs, toolTimeoutMs, maxTurns, maxTokens, maxCostUsd, parentSession } = limits;
	return [
		`${duration(timeoutMs)} total`,
		`${duration(idleTimeoutMs)} idle`,
		`${duration(toolTimeoutMs)} per tool call`,
		...(maxTurns === undefined ? [] : [plural(maxTurns, "turn")]),
		...(maxTokens === undefined ? [] : [`${count(maxTokens)} tokens`]),
		...(maxCostUsd === undefined ? [] : [dollars(maxCostUsd)]),
		...(parentSession.maxTokens === undefined ? [] : [`${count(parentSession.maxTokens)} tokens per conversation`]),
		...(parentSession.maxCostUsd === undefined ? [] : [`${dollars(parentSession.maxCostUsd)} per conversation`]),
	].join(" · ");
}

/** Missing facts are left out. */
const fact = (name: string, value: string | undefined): Fact[] =>
	value === undefined ? [] : [{ name, value: inOneLine(value) }];
