import { isLevel, LOG_LEVELS } from "../log/log.ts";
import { readLogs } from "../log/read-logs.ts";
import type { Denial } from "../operate/denial.ts";
import { findRunLogged, isIdBegun } from "../operate/find-run.ts";
import { logLinesReport } from "../operate/report/log-lines.ts";
import { isRunId } from "../run/ids.ts";
import { didYouMean } from "../run/nearest.ts";
import { type Command, countOption, textOption } from "./command.ts";
import { SEE_ALL } from "./named-run.ts";
import { nothingYet, places, redactorHere, withLedger } from "./surroundings.ts";

export const logs: Command = {
	name: "logs",
	takes: "[--run <run>] [--agent <name>] [--level <level>] [--limit <n>]",
	does: "show the logs of all pi and host processes",
	words: [0, 0],
	options: {
		run: { type: "string", short: "r", takes: "<run>", does: "only lines about this run", completes: "runs" },
		agent: { type: "string", takes: "<name>", does: "only lines about runs of this agent", completes: "agents" },
		level: {
			type: "string",
			short: "l",
			takes: "<level>",
			does: `this level and above: ${LOG_LEVELS.join(", ")}`,
			completes: LOG_LEVELS,
		},
		limit: { type: "string", short: "n", takes: "<n>", does: "show only this many of the latest lines (default 100)" },
	},
	async run({ options, out }) {
		const limit = countOption(options.limit, "limit");
		if (typeof limit === "object") return out.misused(limit.error);
		const level = textOption(options.level);
		if (level !== undefined && !isLevel(level)) {
			return out.misused(`--level takes ${LOG_LEVELS.join(", ")}, not "${level}".`);
		}
		const [named, agent] = [textOption(options.run), textOption(options.agent)];
		const run = named === undefined ? undefined : await runMeant(named);
		if (typeof run === "object") return out.failed(run.error);
		const lines = redactorHere().redactValue(
			readLogs(places(), {
				...(run !== undefined && { run }),
				...(agent !== undefined && { agent }),
				...(level !== undefined && { level }),
				...(limit !== undefined && { limit }),
			}),
		);
		if (agent !== undefined && lines.length === 0) {
			const unknown = await whyNoLogs(agent);
			if (unknown !== undefined) return out.failed(unknown);
		}
		if (out.isJson) out.document(lines);
		else out.lines(logLinesReport(lines, { width: out.isTerminal ? out.width : Number.MAX_SAFE_INTEGER }));
		return 0;
	},
};

async function runMeant(name: string): Promise<string | Denial> {
	if (isRunId(name)) return name;
	const found = await withLedger((ledger) => findRunLogged(ledger, name, {}, SEE_ALL), { toLook: true }).catch(
		(error) => {
			// The ledger may be what is broken, and the logs report that.
			if (isIdBegun(name)) return name;
			throw error;
		},
	);
	return found ?? (isIdBegun(name) ? name : { status: "error", error: nothingYet() });
}

/** Why the logs have nothing for an agent's name. The logs may name agents that no longer exist. */
async function whyNoLogs(name: string): Promise<string | undefined> {
	if (readLogs(places(), { agent: name, limit: 1 }).length > 0) return undefined;
	const { agentNamesHere } = await import("./catalog.ts");
	const names = agentNamesHere();
	if (names.includes(name)) return undefined;
	return `No log line names an agent "${name}", and there is none here.${didYouMean(name, names)}`;
}
