import { isLevel, LOG_LEVELS } from "../log/log.ts";
import { readLogs } from "../log/read-logs.ts";
import { logLinesReport } from "../operate/report/log-lines.ts";
import { type Command, countOption, textOption } from "./command.ts";
import { places, redactorHere } from "./surroundings.ts";

export const logs: Command = {
	name: "logs",
	takes: "[--run <id>] [--agent <name>] [--level <level>] [--limit <n>]",
	does: "what parents and hosts wrote down, of all processes together",
	words: [0, 0],
	options: {
		run: { type: "string", short: "r", takes: "<id>", does: "only of this run" },
		agent: { type: "string", takes: "<name>", does: "only of runs of this agent" },
		level: {
			type: "string",
			short: "l",
			takes: "<level>",
			does: `this and more important ones: ${LOG_LEVELS.join(", ")}`,
		},
		limit: { type: "string", short: "n", takes: "<n>", does: "at most so many of the latest (100)" },
	},
	run({ options, out }) {
		const limit = countOption(options.limit, "limit");
		if (typeof limit === "object") return out.misused(limit.error);
		const level = textOption(options.level);
		if (level !== undefined && !isLevel(level)) {
			return out.misused(`--level takes ${LOG_LEVELS.join(", ")}, not "${level}".`);
		}
		const [run, agent] = [textOption(options.run), textOption(options.agent)];
		const lines = redactorHere().redactValue(
			readLogs(places(), {
				...(run !== undefined && { run }),
				...(agent !== undefined && { agent }),
				...(level !== undefined && { level }),
				...(limit !== undefined && { limit }),
			}),
		);
		if (out.isJson) out.document(lines);
		else out.lines(logLinesReport(lines, { width: out.width }));
		return 0;
	},
};
