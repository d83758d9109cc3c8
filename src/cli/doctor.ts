import type { CheckResult } from "../operate/doctor/check.ts";
import { checkReport, doctorSummary, hasFailed } from "../operate/doctor/report.ts";
import type { Command } from "./command.ts";
import { findPi } from "./find-pi.ts";
import type { Output } from "./output.ts";
import { isInsideSubagent, ONLY_LOOKS, redactorHere } from "./surroundings.ts";

export const doctor: Command = {
	name: "doctor",
	takes: "[--fix]",
	does: "check everything that can go wrong, and say what to do",
	words: [0, 0],
	options: { fix: { type: "boolean", does: "fix what can be fixed safely" } },
	checksConfig: true,
	async run({ options, out }) {
		// The doctor would also start a host.
		if (isInsideSubagent()) return out.failed(ONLY_LOOKS);
		const [{ runDoctor }, { sourcesHere }] = await Promise.all([
			import("../operate/doctor/doctor.ts"),
			import("./doctor-sources.ts"),
		]);
		const redactor = redactorHere();
		const left = new AbortController();
		const leave = () => left.abort();
		process.once("SIGINT", leave);
		try {
			const results = await runDoctor(sourcesHere(await findPi()), {
				fix: options.fix === true,
				signal: left.signal,
				onChecking: (name) => out.progress(`${name}…`),
				onResult: (result) => {
					out.progress("");
					if (!out.isJson) out.lines(colored(redactor.redactValue(result), out));
				},
			});
			out.progress("");
			if (out.isJson) out.document(redactor.redactValue(results));
			else out.lines(["", doctorSummary(results)]);
			return left.signal.aborted ? 130 : hasFailed(results) ? 1 : 0;
		} finally {
			process.off("SIGINT", leave);
		}
	},
};

const COLORS = { pass: "green", warn: "yellow", fail: "red" } as const;

function colored(result: CheckResult, out: Output): string[] {
	const [first = "", ...others] = checkReport(result, { width: out.width });
	return [first.replace(/^\S+/, (mark) => out.paint(COLORS[result.level], mark)), ...others];
}
