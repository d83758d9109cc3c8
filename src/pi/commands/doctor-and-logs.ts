import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { getAgentDir } from "@earendil-works/pi-coding-agent";
import { placesIn } from "../../ledger/places.ts";
import { isLevel, LOG_LEVELS } from "../../log/log.ts";
import { type LogFilter, readLogs } from "../../log/read-logs.ts";
import type { Denial } from "../../operate/denial.ts";
import { runDoctor } from "../../operate/doctor/doctor.ts";
import { doctorReport } from "../../operate/doctor/report.ts";
import { findRunLogged, isIdBegun } from "../../operate/find-run.ts";
import { logLinesReport } from "../../operate/report/log-lines.ts";
import { isRunId } from "../../run/ids.ts";
import { didYouMean } from "../../run/nearest.ts";
import { doctorSources } from "../doctor-sources.ts";
import { parentRedactor } from "../parent-log.ts";
import { trustedAgentsFor } from "../session-services.ts";
import type { WriteQuestions } from "../write-consent.ts";
import type { CommandAnswer } from "./command.ts";
import type { RunsOfSession } from "./runs-of-session.ts";
import { firstWord } from "./words.ts";

const DOCTOR_STATUS = "pi-geon-doctor";

/** `/subagents doctor [--fix]` */
export async function showDoctor(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	request: DoctorRequest,
): Promise<CommandAnswer> {
	const words = request.args.split(/\s+/).filter((word) => word !== "");
	const unknown = words.find((word) => word !== "--fix");
	if (unknown !== undefined)
		return { problem: `/${request.command} doctor takes --fix, not "${unknown}". Nothing was done.` };
	const { over } = request;
	try {
		const results = await runDoctor(doctorSources(pi, ctx, request.writeQuestions), {
			fix: words.includes("--fix"),
			signal: ctx.signal ? AbortSignal.any([over, ctx.signal]) : over,
			onChecking: (name) => ctx.ui.setStatus(DOCTOR_STATUS, `doctor: ${name}…`),
		});
		return over.aborted ? undefined : doctorReport(parentRedactor().redactValue(results), request);
	} finally {
		// If another session has the screen now, this one's context must not be used any more.
		if (!over.aborted) ctx.ui.setStatus(DOCTOR_STATUS, undefined);
	}
}

/** `/subagents logs [run|agent|level] [limit]` */
export async function showLogs(
	ctx: ExtensionContext,
	{ command, args, width, runs }: LogsRequest,
): Promise<CommandAnswer> {
	const places = placesIn(getAgentDir());
	const agents = trustedAgentsFor(ctx).agents.map(({ name }) => name);
	const filter: LogFilter = {};
	for (let left = args.trim(); left !== ""; ) {
		const { word, rest } = firstWord(left);
		left = rest;
		const part = await meaningOf(word);
		if ("error" in part) return misusedLogs(`${part.error}${didYouMean(word, agents)}`);
		if (Object.keys(part).some((name) => name in filter)) return misusedLogs(`Unexpected argument "${word}".`);
		Object.assign(filter, part);
	}
	return logLinesReport(parentRedactor().redactValue(readLogs(places, filter)), { width });

	function misusedLogs(problem: string): CommandAnswer {
		const levels = LOG_LEVELS.join(", ");
		const logs = `/${command} logs`;
		return {
			problem: `${problem} ${logs} takes a run, an agent, a level (${levels}) and how many lines: ${logs} explorer warn 50`,
		};
	}

	async function meaningOf(word: string): Promise<LogFilter | Denial> {
		if (isLevel(word)) return { level: word };
		if (/^\d{1,5}$/.test(word) && filter.limit === undefined) return { limit: Number(word) };
		// Includes agents that are gone, or belong to another directory.
		if (agents.includes(word) || readLogs(places, { agent: word, limit: 1 }).length > 0) return { agent: word };
		if (isRunId(word)) return { run: word };
		const none = isIdBegun(word) ? word : ({ status: "error", error: `There is no run "${word}".` } as const);
		const run = await runs
			.use(ctx, ({ ledger }, scope) => findRunLogged(ledger, word, scope), none)
			.catch((error) => {
				// The ledger may be what is broken, and the logs report that.
				if (isIdBegun(word)) return none;
				throw error;
			});
		return typeof run === "string" ? { run } : run;
	}
}

interface LogsRequest {
	/** The command that it was typed after. */
	command: string;
	args: string;
	width: number;
	runs: RunsOfSession;
}

interface DoctorRequest {
	/** The command that it was typed after. */
	command: string;
	args: string;
	width: number;
	over: AbortSignal;
	writeQuestions: WriteQuestions;
}
