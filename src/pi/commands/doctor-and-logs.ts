import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { getAgentDir } from "@earendil-works/pi-coding-agent";
import { placesIn } from "../../ledger/places.ts";
import { isLevel } from "../../log/log.ts";
import { type LogFilter, readLogs } from "../../log/read-logs.ts";
import { runDoctor } from "../../operate/doctor/doctor.ts";
import { doctorReport } from "../../operate/doctor/report.ts";
import { logLinesReport } from "../../operate/report/log-lines.ts";
import { doctorSources } from "../doctor-sources.ts";
import { parentRedactor } from "../parent-log.ts";
import type { Answer } from "./command.ts";

const STATUS = "pi-geon-doctor";

/** `/toolkit doctor [--fix]` */
export async function doctor(pi: ExtensionAPI, ctx: ExtensionContext, request: DoctorRequest): Promise<Answer> {
	const words = request.args.split(/\s+/).filter((word) => word !== "");
	const unknown = words.find((word) => word !== "--fix");
	if (unknown !== undefined) return { problem: `/toolkit doctor takes --fix, not "${unknown}". Nothing was done.` };
	const { over } = request;
	try {
		const results = await runDoctor(doctorSources(pi, ctx), {
			fix: words.includes("--fix"),
			signal: ctx.signal ? AbortSignal.any([over, ctx.signal]) : over,
			onChecking: (name) => ctx.ui.setStatus(STATUS, `doctor: ${name}…`),
		});
		return over.aborted ? undefined : doctorReport(parentRedactor().redactValue(results), request);
	} finally {
		// Another session has the screen by now, and this one's context is no longer to be used.
		if (!over.aborted) ctx.ui.setStatus(STATUS, undefined);
	}
}

/** `/toolkit logs [run|agent|level] [limit]` */
export function logs(request: Request): Answer {
	const filter: LogFilter = {};
	for (const word of request.args.split(/\s+/).filter((part) => part !== "")) {
		if (isLevel(word)) filter.level = word;
		else if (/^\d{1,5}$/.test(word) && filter.limit === undefined) filter.limit = Number(word);
		else if (/^[0-9a-f]{4,8}$/.test(word)) filter.run = word;
		else if (filter.agent === undefined) filter.agent = word;
		else return { problem: `/toolkit logs takes a run, an agent, a level and a limit; "${word}" is one too many.` };
	}
	const lines = readLogs(placesIn(getAgentDir()), filter);
	return logLinesReport(parentRedactor().redactValue(lines), request);
}

interface Request {
	args: string;
	width: number;
}

interface DoctorRequest extends Request {
	over: AbortSignal;
}
