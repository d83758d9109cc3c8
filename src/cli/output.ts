import { homedir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { plain } from "../collect/plain.ts";
import { wrapTo } from "../operate/report/layout.ts";
import { type Diagnostic, formatDiagnostic } from "../run/diagnostic.ts";
import type { ExitCode } from "./command.ts";

/** For output whose width is unknown: a pipe, a file. */
const USUAL_WIDTH = 120;
const LEAST_WIDTH = 20;

const PATHS = ["agentFile", "cwd", "patch", "transcript"];

/** Readers see the home folder as `~`, but a program that opens the file needs the full path. */
const realPaths = (key: string, value: unknown): unknown =>
	PATHS.includes(key) && typeof value === "string" && /^~[/\\]/.test(value) ? join(homedir(), value.slice(2)) : value;

/** Results go to stdout, problems to stderr. */
export class Output {
	/** False for a pipe or a file, where nothing has to fit a width. */
	readonly isTerminal: boolean;
	readonly width: number;
	readonly isJson: boolean;
	readonly #hasColor: boolean;

	constructor({ isJson, env = process.env }: { isJson: boolean; env?: NodeJS.ProcessEnv }) {
		const { isTTY, columns } = process.stdout;
		this.isTerminal = Boolean(isTTY);
		this.width = Math.max(LEAST_WIDTH, isTTY ? columns || USUAL_WIDTH : Number(env.COLUMNS) || USUAL_WIDTH);
		this.isJson = isJson;
		this.#hasColor = this.isTerminal && !env.NO_COLOR && env.TERM !== "dumb";
	}

	lines(lines: readonly string[]): void {
		if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
	}

	/** A whole document, such as a file. */
	text(text: string): void {
		process.stdout.write(text);
	}

	/** The one document of `--json`. */
	document(value: unknown): void {
		process.stdout.write(`${printableJson(value, 2)}\n`);
	}

	/** One of many documents, each on a line. */
	jsonLine(value: unknown): void {
		process.stdout.write(`${printableJson(value)}\n`);
	}

	/** Shows what is going on to a user who is watching. */
	progress(text: string): void {
		if (process.stderr.isTTY && !this.isJson) process.stderr.write(`\r\u001b[K${text}`);
	}

	failed(message: string): ExitCode {
		return this.#complain(message, 1);
	}

	misused(message: string): ExitCode {
		return this.#complain(message, 2);
	}

	/** Reports problems of a file. The command continues. */
	diagnostics(diagnostics: readonly Diagnostic[]): void {
		for (const diagnostic of diagnostics) this.#tell(formatDiagnostic(diagnostic));
	}

	readonly paint = (color: "red" | "yellow" | "green" | "cyan" | "dim", text: string): string =>
		this.#hasColor ? styleText(color, text, { validateStream: false }) : text;

	#complain(message: string, code: ExitCode): ExitCode {
		if (this.isJson) this.document({ error: message });
		this.#tell(message);
		return code;
	}

	#tell(message: string): void {
		const width = process.stderr.isTTY ? Math.max(LEAST_WIDTH, process.stderr.columns) : Number.MAX_SAFE_INTEGER;
		process.stderr.write(`${wrapTo(width, plain(`pi-geon: ${message}`)).join("\n")}\n`);
	}
}

/** Escapes all characters that act on a terminal: JSON itself escapes only some. Programs read the same text. */
const printableJson = (value: unknown, indent?: number): string =>
	JSON.stringify(value, realPaths, indent).replace(
		/[\u007f-\u009f\p{Bidi_Control}]/gu,
		(found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
