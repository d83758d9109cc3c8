import { parseArgs } from "node:util";
import { packageVersion } from "../config/package-version.ts";
import { didYouMean } from "../run/nearest.ts";
import { COMMON_OPTIONS, type Command, type ExitCode, parseConfig } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { complete } from "./complete.ts";
import { commandHelp, generalHelp } from "./help.ts";
import { Output } from "./output.ts";
import { configOfUser } from "./surroundings.ts";
import { tracesSent } from "./traces-here.ts";

/** Only for completion scripts. */
const COMPLETE = "__complete";

export async function runCli(args: string[]): Promise<void> {
	// The reader may close the pipe early: `pi-geon list | head -1`.
	process.stdout.on("error", (error: NodeJS.ErrnoException) => {
		if (error.code !== "EPIPE") throw error;
		process.exit();
	});
	process.exitCode = await answerCall(args);
	await tracesSent();
}

async function answerCall(args: string[]): Promise<ExitCode> {
	const [name, ...rest] = args;
	const out = new Output({ isJson: args.includes("--json") });
	if (name === COMPLETE) {
		out.lines(await complete(rest));
		return 0;
	}
	if (name === undefined || name === "help" || name === "--help" || name === "-h") return help(rest, out, name);
	if (name === "--version" || name === "-v") {
		out.lines([packageVersion()]);
		return 0;
	}
	const command = COMMANDS.find((one) => one.name === name);
	if (!command) return out.misused(unknownCommand(name));
	return runCommand(command, rest, out);
}

function help([about]: string[], out: Output, asked: string | undefined): ExitCode {
	const command = COMMANDS.find(({ name }) => name === about);
	if (asked === "help" && about !== undefined && !command) return out.misused(unknownCommand(about));
	out.lines(command ? commandHelp(command, out.width) : generalHelp(COMMANDS, out.width));
	return asked === undefined ? 2 : 0;
}

function unknownCommand(name: string): string {
	const names = COMMANDS.map((one) => one.name);
	const meant = USUAL_ELSEWHERE.get(name) ?? didYouMean(name, names);
	return `There is no command "${name}".${meant} Available: ${names.join(", ")}.`;
}

const START_IN_PI = " To start a run, use /subagents run in pi.";

/** Names of the same commands in other programs, which are too different from ours to count as typos. */
const USUAL_ELSEWHERE: ReadonlyMap<string, string> = new Map([
	["run", START_IN_PI],
	["start", START_IN_PI],
	["spawn", START_IN_PI],
	["show", " Did you mean info?"],
	["ls", " Did you mean list?"],
	["kill", " Did you mean stop?"],
]);

async function runCommand(command: Command, args: string[], out: Output): Promise<ExitCode> {
	const parsed = parseWords(command, args);
	const usage = `Usage: pi-geon ${command.name} ${command.takes}`.trim();
	if ("error" in parsed) return out.misused(`${parsed.error} ${usage}`);
	if (parsed.options.help) {
		out.lines(commandHelp(command, out.width));
		return 0;
	}
	const [least, most] = command.words;
	if (parsed.words.length < least)
		return out.misused(`Missing argument: ${missingWord(command, parsed.words)}. ${usage}`);
	if (parsed.words.length > most) return out.misused(`Unexpected argument "${parsed.words[most]}". ${usage}`);
	try {
		if (!command.checksConfig) out.diagnostics(configOfUser().diagnostics);
		return await command.run({ ...parsed, out });
	} catch (error) {
		// Errors of the ledger, the disk or file permissions explain themselves; a stack trace would not help the user.
		if (!(error instanceof Error)) throw error;
		if (process.env.PI_GEON_DEBUG) process.stderr.write(`${error.stack}\n`);
		return out.failed(error.message);
	}
}

/** The first required word that is missing. */
function missingWord({ takes }: Command, { length }: string[]): string {
	const needed = takes.replace(/\[[^\]]*\]/g, "").match(/<[^>]+>/g) ?? [];
	return needed[length] ?? takes;
}

function parseWords({ options }: Command, args: string[]) {
	try {
		const { values, positionals } = parseArgs({
			args,
			options: parseConfig({ ...COMMON_OPTIONS, ...options }),
			allowPositionals: true,
		});
		return { words: positionals, options: values as Record<string, string | boolean | undefined> };
	} catch (error) {
		if (!(error instanceof TypeError)) throw error;
		// Node's messages take three lines, or read like a specification.
		const [, lacking] = /'(?:-\w, )?--([\w-]+) <value>' argument missing/.exec(error.message) ?? [];
		if (lacking !== undefined) return { error: `--${lacking} needs a value: ${options[lacking]?.takes ?? "…"}.` };
		const [, long, short] = /(?:--([\w-]+)|-(\w))\S* argument is ambiguous/.exec(error.message) ?? [];
		const name = long ?? Object.keys(options).find((key) => short !== undefined && options[key]?.short === short);
		if (name === undefined) return { error: `${error.message.split(/\n|\. To specify/)[0]?.replace(/\.$/, "")}.` };
		const { takes = "…" } = options[name] ?? {};
		return {
			error: `--${name} needs a value, and what begins with a dash is read as an option. Write --${name}=${takes}.`,
		};
	}
}
