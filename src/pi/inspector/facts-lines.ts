import type { Theme } from "@earendil-works/pi-coding-agent";
import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { inOneLine } from "../../collect/plain.ts";
import type { RunInfo } from "../../operate/info.ts";
import { runFacts } from "../../operate/report/run-info.ts";
import { elapsed, stateInWords, titleOf } from "../../operate/report/words.ts";
import { count, dollars, plural } from "../../run/amounts.ts";
import { inputTokens } from "../../run/usage.ts";
import { factLines } from "../view/fact-lines.ts";
import { markOf } from "./list-lines.ts";

interface FactsDrawing {
	theme: Theme;
	width: number;
	now: number;
}

/** The first lines above a transcript: the agent, the state, and what it took. */
export function shortFacts(info: RunInfo, { theme, width, now }: FactsDrawing): string[] {
	const { mark, color } = markOf(info);
	const { usage } = info;
	const read = inputTokens(usage);
	const name = `${theme.fg("dim", `#${info.number}`)} ${theme.fg("accent", theme.bold(inOneLine(info.agent)))} ${titleOf(info)}`;
	const facts = [
		theme.fg(color, `${mark} ${stateInWords(info)}`),
		...(info.startedAt === undefined ? [] : [elapsed(info, now)]),
		...(usage.turns > 0 ? [plural(usage.turns, "turn")] : []),
		...(read + usage.output > 0 ? [`${count(read)} in / ${count(usage.output)} out`] : []),
		...(usage.cost > 0 ? [dollars(usage.cost)] : []),
		...(info.messagesWaiting > 0 ? [`${plural(info.messagesWaiting, "message")} on the way`] : []),
		inOneLine(info.model),
	];
	return [name, ...factLines(facts, { theme, width, expanded: false, hint: "" }).slice(0, 1)];
}

/** All known facts, one per line; long ones are wrapped, so that they can be read and copied. */
export function allFacts(info: RunInfo, { theme, width, now }: FactsDrawing): string[] {
	const facts = [{ name: "run", value: info.runId }, ...runFacts(info, now)];
	const column = Math.max(...facts.map(({ name }) => name.length)) + 1;
	return facts.flatMap(({ name, value }) => {
		const lines = wrapTextWithAnsi(value, Math.max(1, width - column));
		return lines.map((line, index) => `${theme.fg("muted", (index === 0 ? name : "").padEnd(column))}${line}`);
	});
}
