import type { Theme } from "@earendil-works/pi-coding-agent";
import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { inOneLine, plain } from "../../collect/plain.ts";
import type { RunInfo } from "../../operate/info.ts";
import { count, dollars, duration, plural } from "../../run/amounts.ts";
import { factLines } from "../view/fact-lines.ts";
import { markOf } from "./list-lines.ts";

interface FactsDrawing {
	theme: Theme;
	width: number;
	now: number;
}

/** The first lines above a transcript: who, how it stands, and what it took. */
export function shortFacts(info: RunInfo, { theme, width, now }: FactsDrawing): string[] {
	const { mark, color } = markOf(info);
	const { usage } = info;
	const name = `${theme.fg("dim", `#${info.number}`)} ${theme.fg("accent", theme.bold(inOneLine(info.agent)))} ${inOneLine(info.label ?? info.task)}`;
	const facts = [
		theme.fg(color, `${mark} ${stateOf(info)}`),
		...(info.startedAt === undefined ? [] : [duration((info.endedAt ?? now) - info.startedAt)]),
		...(usage.turns > 0 ? [plural(usage.turns, "turn")] : []),
		...(usage.input + usage.output > 0 ? [`${count(usage.input)} in / ${count(usage.output)} out`] : []),
		...(usage.cost > 0 ? [dollars(usage.cost)] : []),
		...(info.messagesWaiting > 0 ? [`${plural(info.messagesWaiting, "message")} on the way`] : []),
		inOneLine(info.model),
	];
	return [name, ...factLines(facts, { theme, width, expanded: false, hint: "" }).slice(0, 1)];
}

/** Everything that is known, a fact a line; long ones are wrapped, so that they can be read and copied. */
export function allFacts(info: RunInfo, { theme, width, now }: FactsDrawing): string[] {
	const { usage, limits } = info;
	const facts: [string, string | undefined][] = [
		["run", info.runId],
		["agent", `${info.agent} (${info.agentFile})`],
		["label", info.label],
		["task", info.task],
		["state", stateOf(info)],
		["error", info.error],
		["warnings", info.warnings.length > 0 ? info.warnings.join(" ") : undefined],
		["kind", info.kind],
		["report", info.delivery && REPORTS[info.delivery]],
		["asked", time(info.createdAt)],
		["started", info.startedAt === undefined ? undefined : time(info.startedAt)],
		["ended", info.endedAt === undefined ? undefined : time(info.endedAt)],
		["took", info.startedAt === undefined ? undefined : duration((info.endedAt ?? now) - info.startedAt)],
		["attempt", `${info.attempt} of ${info.maxAttempts}`],
		["model", info.thinking === undefined ? info.model : `${info.model}, thinking ${info.thinking}`],
		["tokens", `${count(usage.input)} in, ${count(usage.output)} out, ${count(usage.cacheRead)} cached`],
		["cost", usage.cost > 0 ? dollars(usage.cost) : undefined],
		["turns", String(usage.turns)],
		["limits", `${duration(limits.timeoutMs)} in all, ${duration(limits.idleTimeoutMs)} idle`],
		["tools", info.tools.join(", ")],
		["messages", info.messagesWaiting > 0 ? `${info.messagesWaiting} not taken in yet` : undefined],
		["folder", info.cwd],
		["session", info.sessionKey],
		["file", info.transcript],
		["host", info.host],
	];
	const column = 10;
	return facts.flatMap(([name, value]) => {
		if (value === undefined || value === "") return [];
		const lines = wrapTextWithAnsi(plain(value), Math.max(1, width - column));
		return lines.map((line, index) => `${theme.fg("muted", (index === 0 ? name : "").padEnd(column))}${line}`);
	});
}

const REPORTS = {
	owed: "not in the conversation yet",
	delivered: "in the conversation",
	skipped: "none was wanted",
} as const;

function stateOf({ phase, status, reason }: RunInfo): string {
	if (phase !== "ended") return phase;
	if (status === "success") return "done";
	return inOneLine(reason ?? (status === "timeout" ? "timed out" : "failed"));
}

/** 2026-01-31 14:05:09, where the user is. */
function time(at: number): string {
	const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
	return local.toISOString().slice(0, 19).replace("T", " ");
}
