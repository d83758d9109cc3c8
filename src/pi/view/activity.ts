import { inOneLine, plain } from "../../collect/plain.ts";
import { FINALIZE_TOOL } from "../../run/outcome.ts";
import { ASK_TOOL } from "../../run/question.ts";
import { fieldsOf, type StoredFields, storedList, textOf } from "./stored.ts";

/** How much of a child's message is read for the line that represents it. */
const READ_OF_A_SAYING = 2_000;

/** What a child said and did, oldest first, one line each. The latest are enough: a run has hundreds. */
export function activity(displayItems: unknown, latest: number): { lines: string[]; earlier: number } {
	const items = storedList(displayItems).map(fieldsOf).filter(isWorthShowing);
	return {
		lines: items.slice(-latest).map(lineOf),
		earlier: Math.max(0, items.length - latest),
	};
}

/** The last call of a run is its answer, which is shown as such. */
function isWorthShowing(item: StoredFields | undefined): item is StoredFields {
	if (item === undefined) return false;
	if (item.type === "toolCall") return item.name !== FINALIZE_TOOL;
	return item.type === "text" && typeof item.text === "string" && item.text.trim() !== "";
}

function lineOf(item: StoredFields): string {
	if (item.type === "toolCall") return callLine(item);
	const lines = plain((textOf(item.text) ?? "").slice(-READ_OF_A_SAYING)).split("\n");
	return inOneLine(lines.findLast((line) => line.trim() !== "") ?? "");
}

/** The most informative arguments of a call, for pi's own tools and common others. */
const TELLING_ARGUMENTS = ["command", "pattern", "query", "url", "path", "file_path", "symbol", "action", "name"];

export function callLine(item: StoredFields): string {
	const name = textOf(item.name) ?? "tool";
	const args = fieldsOf(item.args) ?? {};
	if (name === ASK_TOOL) return inOneLine(`asks you: ${(textOf(args.question) ?? "").slice(0, READ_OF_A_SAYING)}`);
	const value = TELLING_ARGUMENTS.map((key) => args[key]).find(isTelling) ?? Object.values(args).find(isTelling);
	return inOneLine(value === undefined ? name : `${name} ${String(value).slice(0, READ_OF_A_SAYING)}`);
}

function isTelling(value: unknown): value is string | number {
	return (typeof value === "string" && value.trim() !== "") || typeof value === "number";
}
