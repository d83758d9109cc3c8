import { inOneLine, plain } from "../../collect/plain.ts";
import { FINALIZE_TOOL } from "../../run/outcome.ts";
import { type Fields, fieldsOf, listOf, textOf } from "./stored.ts";

/** How much of one thing that a child said is looked at for the line that stands for it. */
const LOOKED_AT = 2_000;

/** What a child said and did, oldest first, one line each. The latest are enough: a run has hundreds. */
export function activity(displayItems: unknown, latest: number): { lines: string[]; earlier: number } {
	const items = listOf(displayItems).map(fieldsOf).filter(isWorthShowing);
	return {
		lines: items.slice(-latest).map(lineOf),
		earlier: Math.max(0, items.length - latest),
	};
}

/** The last call of a run is its answer, which is shown as such. */
function isWorthShowing(item: Fields | undefined): item is Fields {
	if (item === undefined) return false;
	if (item.type === "toolCall") return item.name !== FINALIZE_TOOL;
	return item.type === "text" && typeof item.text === "string" && item.text.trim() !== "";
}

function lineOf(item: Fields): string {
	if (item.type === "toolCall") return callLine(item);
	const lines = plain((textOf(item.text) ?? "").slice(-LOOKED_AT)).split("\n");
	return inOneLine(lines.findLast((line) => line.trim() !== "") ?? "");
}

/** The arguments that tell most about a call, of pi's own tools and of common others. */
const TELLING = ["command", "pattern", "query", "url", "path", "file_path", "symbol", "action", "name"];

export function callLine(item: Fields): string {
	const name = textOf(item.name) ?? "tool";
	const args = fieldsOf(item.args) ?? {};
	const value = TELLING.map((key) => args[key]).find(isTelling) ?? Object.values(args).find(isTelling);
	return inOneLine(value === undefined ? name : `${name} ${String(value).slice(0, LOOKED_AT)}`);
}

function isTelling(value: unknown): value is string | number {
	return (typeof value === "string" && value.trim() !== "") || typeof value === "number";
}
