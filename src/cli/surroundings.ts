import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Redactor } from "../collect/redact/redactor.ts";
import { redactorOf } from "../collect/redact/redactor-of.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { type Ledger, openLedger } from "../ledger/ledger.ts";
import { placesIn } from "../ledger/places.ts";
import { openLedgerToLook } from "../ledger/read-only.ts";
import { inWords } from "../ledger/trouble.ts";
import { type Log, logTo } from "../log/log.ts";
import { appendToLog } from "../log/log-file.ts";
import { delegationDepth } from "../run/delegation-depth.ts";
import { trustOnFile } from "./trust-on-file.ts";

/** pi's own directory, found as pi finds it. */
export function agentDir(env: NodeJS.ProcessEnv = process.env): string {
	const given = env.PI_CODING_AGENT_DIR;
	if (!given) return join(homedir(), ".pi", "agent");
	return given.replace(/^~(?=$|[/\\])/, homedir());
}

export const places = () => placesIn(agentDir());

const userFile = (): string => join(agentDir(), "pi-geon.json");

/** The user's settings alone. */
export const configOfUser = (): LoadedConfig => loadConfig({ userFile: userFile() });

/** The user's settings, and those of the project in a directory if the user trusts it. */
export function configIn(cwd: string): LoadedConfig {
	const projectFile = join(cwd, ".pi", "pi-geon.json");
	return loadConfig({
		userFile: userFile(),
		...(existsSync(projectFile) && trustOnFile(agentDir(), cwd) && { projectFile }),
	});
}

export const configHere = (): LoadedConfig => configIn(process.cwd());

/** Everything that is shown goes through this redactor. */
export const redactorHere = (): Redactor => redactorOf(agentDir());

/** Logs what this command does with runs, in the parents' log. */
export function cliLog(redactor: Redactor): Log {
	return logTo({
		context: { role: "cli", pid: process.pid },
		write: (line) => appendToLog(places().parentLog, line),
		redact: (value) => redactor.redactValue(value),
	});
}

export const nothingYet = (): string => `Nothing has been delegated here yet: there is no ledger at ${places().ledger}`;

/**
 * Undefined if nothing was ever delegated: this creates nothing. A command that only looks also works on a read-only disk.
 */
export async function withLedger<Result>(
	work: (ledger: Ledger) => Promise<Result> | Result,
	{ toLook = false } = {},
): Promise<Result | undefined> {
	const file = places().ledger;
	if (!ledgerIsThere(file)) return undefined;
	const ledger = await (toLook ? openLedgerToLook(file) : openLedger(file));
	let redactor: Redactor | undefined;
	ledger.redact = (text) => {
		redactor ??= redactorHere();
		return redactor.redact(text);
	};
	try {
		return await work(ledger);
	} finally {
		ledger.close();
	}
}

/** Throws for a folder that may not be read, which does not count as missing. */
function ledgerIsThere(file: string): boolean {
	try {
		return statSync(file, { throwIfNoEntry: false }) !== undefined;
	} catch (error) {
		throw inWords(error, file);
	}
}

/** A child does not control other runs, even through its shell. */
export const isInsideSubagent = (): boolean => delegationDepth(process.env) > 0;

export const ONLY_LOOKS = "Inside a subagent, runs can be viewed but not changed.";
