import type { Ledger } from "../../ledger/ledger.ts";
import { checkAgents } from "./agents.ts";
import type { Check, CheckResult, Examination } from "./check.ts";
import { checkConfig } from "./config.ts";
import { checkDisk } from "./disk.ts";
import { checkFileModes } from "./file-modes.ts";
import { checkHooks } from "./hooks.ts";
import { checkHost } from "./host.ts";
import { checkInstallation } from "./installation.ts";
import { checkLanguageServers } from "./language-servers.ts";
import { examineLedger } from "./ledger.ts";
import { checkMcp } from "./mcp.ts";
import { checkModels } from "./models.ts";
import { checkPools } from "./pools.ts";
import { checkPrograms } from "./programs.ts";
import { checkSandbox } from "./sandbox.ts";
import type { DoctorSources } from "./sources.ts";
import { checkStrays } from "./strays.ts";
import { checkTools } from "./tools.ts";
import { checkTrust } from "./trust.ts";
import { checkVersions } from "./versions.ts";
import { checkWebSearch } from "./web-search.ts";

export interface DoctorOptions {
	/** Also fixes what can be fixed safely. */
	fix?: boolean;
	/** Ends it after the current check. */
	signal?: AbortSignal;
	/** Receives each result as soon as it is known. */
	onResult?: (result: CheckResult) => void;
	/** Receives the name of each check before it starts. */
	onChecking?: (name: string) => void;
}

/** These run before the ledger is opened, which would repair some of the problems that they look for. */
const BEFORE_LEDGER: Check[] = [checkVersions, checkConfig, checkFileModes];

/** Strays come before the host, so that the host that is tested does not count as one. */
const WITH_LEDGER: Check[] = [
	checkInstallation,
	checkStrays,
	checkHost,
	checkSandbox,
	checkAgents,
	checkMcp,
	checkTools,
	checkModels,
	checkTrust,
	checkPrograms,
	checkHooks,
	checkPools,
	checkLanguageServers,
	checkWebSearch,
	checkDisk,
];

/** Checks everything that can be wrong, one after the other, and reports the results. */
export async function runDoctor(sources: DoctorSources, options: DoctorOptions = {}): Promise<CheckResult[]> {
	const signal = options.signal ?? new AbortController().signal;
	const results: CheckResult[] = [];
	let ledger: Ledger | undefined;
	const carryOut = async (check: Check): Promise<void> => {
		if (signal.aborted) return;
		options.onChecking?.(check.name);
		const examination: Examination = { sources, ledger, fix: options.fix ?? false, signal };
		for await (const finding of findingsOf(check, examination)) {
			const result = { check: check.name, ...finding };
			results.push(result);
			options.onResult?.(result);
		}
	};
	try {
		for (const check of BEFORE_LEDGER) await carryOut(check);
		await carryOut(
			examineLedger((opened) => {
				ledger = opened;
			}),
		);
		for (const check of WITH_LEDGER) await carryOut(check);
	} finally {
		ledger?.close();
	}
	return results;
}

async function* findingsOf(check: Check, examination: Examination): AsyncGenerator<Omit<CheckResult, "check">> {
	try {
		yield* check.run(examination);
	} catch (error) {
		// If something is so broken that its check fails, the other checks must still run.
		if (!(error instanceof Error)) throw error;
		yield { level: "fail", what: "This could not be checked", detail: error.message };
	}
}
