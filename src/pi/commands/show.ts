import { Writable } from "node:stream";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { inOneLine } from "../../collect/plain.ts";
import { type CommandAnswer, isProblem } from "./command.ts";
import { REPORT } from "./report-entry.ts";

/** Used if the width of the reader's screen is unknown. */
const USUAL_BLOCK_WIDTH = 100;
/** The smallest readable width, and the columns around a block in the conversation. */
const LEAST_BLOCK_WIDTH = 20;
const PADDING = 2;

/** How wide a report may be here. */
export function widthFor(ctx: ExtensionContext): number {
	const { columns } = process.stdout;
	if (ctx.mode === "tui") return Math.max(LEAST_BLOCK_WIDTH, (columns ?? USUAL_BLOCK_WIDTH) - PADDING);
	return ctx.mode === "print" && process.stdout.isTTY ? Math.max(LEAST_BLOCK_WIDTH, columns) : USUAL_BLOCK_WIDTH;
}

/**
 * Shows a command's answer to the user but not to the model: as a block of the conversation in the terminal; to the client
 * in RPC mode; as an `entry_appended` event in JSON mode, where anything else on stdout would break the lines; and as text
 * on stdout in print mode. Problems are shown like errors, and one-shot modes then exit with an error code.
 */
export async function show(answer: CommandAnswer, ctx: ExtensionContext, pi: ExtensionAPI): Promise<void> {
	if (answer === undefined) return;
	if (isProblem(answer)) return showProblem(inOneLine(answer.problem), ctx);
	const text = answer.join("\n");
	switch (ctx.mode) {
		case "rpc":
			return ctx.ui.notify(text, "info");
		case "print":
			return writeToStdout(`${text}\n`);
		default:
			return pi.appendEntry(REPORT, { text });
	}
}

function showProblem(problem: string, ctx: ExtensionContext): void {
	if (ctx.hasUI) return void ctx.ui.notify(problem, "error");
	process.stderr.write(`pi-geon: ${problem}\n`);
	process.exitCode = 1;
}

/** Writes past pi's redirection of `process.stdout` to stderr: this is for the user, like the answer of a model. */
function writeToStdout(text: string): Promise<void> {
	return new Promise((resolve, reject) => {
		Writable.prototype.write.call(process.stdout, text, "utf8", (error) => (error ? reject(error) : resolve()));
	});
}
