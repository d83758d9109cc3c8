import { plain } from "../collect/plain.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { EndedRecord } from "../ledger/records.ts";
import { runToTell } from "../operate/child.ts";
import type { Continued } from "../operate/continue.ts";
import { isDenial } from "../operate/denial.ts";
import { holderOf } from "../operate/posted.ts";
import { systemPorts as ports } from "../processes/system-ports.ts";
import type { Diagnostic } from "../run/diagnostic.ts";
import type { Supervisor } from "../supervise/supervisor.ts";
import { wakeHosts } from "../supervise/wake-hosts.ts";
import { type Call, type Command, countOption, type ExitCode } from "./command.ts";
import { withRunNamed } from "./named-run.ts";
import {
	type MessageSources,
	notUnderway,
	placeMessage,
	postMessage,
	profilesHere,
	supervisorWith,
} from "./post-message.ts";
import { SCOPE_OPTIONS, SCOPE_TAKES } from "./scope.ts";
import { cliLog, isInsideSubagent, ONLY_LOOKS, redactorHere } from "./surroundings.ts";

export const send: Command = {
	name: "send",
	takes: `<run> <message> [--wait <seconds>] ${SCOPE_TAKES}`,
	does: "send a message to a subagent: steers it while it runs, resumes it after it has finished",
	words: [2, Number.MAX_SAFE_INTEGER],
	completes: "runs",
	options: {
		wait: { type: "string", short: "w", takes: "<seconds>", does: "wait this long for its answer, and print it" },
		...SCOPE_OPTIONS,
	},
	checksConfig: true,
	async run(call) {
		const { words, options, out } = call;
		if (isInsideSubagent()) return out.failed(ONLY_LOOKS);
		const seconds = countOption(options.wait, "wait");
		if (typeof seconds === "object") return out.misused(seconds.error);
		const message = words.slice(1).join(" ").trim();
		if (message === "") return out.misused("The message is empty.");
		const profiles = await profilesHere();
		const isPiHere = profiles !== undefined;
		return withRunNamed(call, async (record, ledger) => {
			const child = runToTell(ledger, record);
			const log = cliLog(redactorHere());
			// From here on, a user who leaves gets to know what happens to the message.
			const leaving = seconds === undefined ? undefined : new SenderLeaves();
			const sources = {
				ledger,
				log,
				profiles,
				onDiagnostics: (found: readonly Diagnostic[]) => out.diagnostics(found),
			};
			const continued = await postMessage(child, message, sources);
			if (isDenial(continued)) {
				leaving?.dispose();
				return out.failed(continued.error);
			}
			const supervisor = supervisorWith(sources);
			try {
				if (leaving && seconds !== undefined) {
					return await replyWithin(call, { ledger, supervisor, isPiHere, continued, seconds, leaving });
				}
				const { record: holder, underway } = await placeMessage(continued, { ...sources, supervisor });
				if (holder.run.state === "ended" && holder.run.outcome.status !== "success") {
					const { taken } = holderOf(ledger, { ...continued, record: holder });
					return showReply(call, { ...holder, run: holder.run }, { taken });
				}
				return reportAccepted(call, { ...continued, record: holder }, { underway, profiles });
			} finally {
				leaving?.dispose();
				supervisor.dispose();
			}
		});
	},
};

/** The waiting user pressed Ctrl-C, or the time limit passed. */
class SenderLeaves {
	readonly #controller = new AbortController();
	readonly #onSignal = () => {
		this.why = "left";
		this.#controller.abort();
	};
	#timer: NodeJS.Timeout | undefined;
	why: NoReply["why"] = "timeout";

	constructor() {
		process.once("SIGINT", this.#onSignal);
		process.once("SIGTERM", this.#onSignal);
	}

	within(seconds: number): AbortSignal {
		this.#timer = setTimeout(() => this.#controller.abort(), seconds * 1000);
		return this.#controller.signal;
	}

	dispose(): void {
		clearTimeout(this.#timer);
		process.off("SIGINT", this.#onSignal);
		process.off("SIGTERM", this.#onSignal);
	}
}

interface Situation extends Pick<MessageSources, "profiles"> {
	underway: boolean;
}

function reportAccepted({ out }: Call, { how, record }: Continued, { underway, profiles }: Situation): ExitCode {
	const { id } = record.run;
	if (out.isJson) out.document({ status: "accepted", how, runId: id, underway });
	else if (!underway) {
		out.lines([
			`Accepted as run ${id}. ${notUnderway({ profiles })}`,
			"it starts when the session that asked for this subagent is opened in pi again.",
		]);
	} else {
		const does = how === "steered" ? "gets your message" : "continues with your message";
		out.lines([`Run ${id} ${does}. Follow it with: pi-geon log -f ${id}`]);
	}
	return 0;
}

interface Awaited {
	ledger: Ledger;
	supervisor: Supervisor;
	isPiHere: boolean;
	continued: Continued;
	seconds: number;
	leaving: SenderLeaves;
}

async function replyWithin(call: Call, awaited: Awaited): Promise<ExitCode> {
	const { ledger, supervisor, isPiHere, continued, seconds, leaving } = awaited;
	const leave = leaving.within(seconds);
	await wakeHosts(ledger, ports);
	for (let { record } = continued; ; ) {
		const { id } = record.run;
		const ended = await supervisor.watch(id, { leave });
		const { record: holder, taken } = holderOf(ledger, { ...continued, record });
		if (!ended) {
			const { why } = leaving;
			return reportNoReply(call, { ...continued, record: holder }, { why, seconds, isPiHere });
		}
		if (holder.run.id === id) return showReply(call, ended, { taken });
		record = holder;
	}
}

interface NoReply {
	why: "timeout" | "left";
	seconds: number;
	isPiHere: boolean;
}

/** Reports that there is no answer yet, in a way that a script does not mistake for one. */
function reportNoReply({ out }: Call, { how, record }: Continued, { why, seconds, isPiHere }: NoReply): ExitCode {
	const { id, state } = record.run;
	const none = why === "left" ? "You left before the answer came." : `There was no answer within ${seconds} s.`;
	const now =
		state !== "queued"
			? `Run ${id} continues; follow it with: pi-geon log -f ${id}`
			: isPiHere
				? `Run ${id} waits for its turn; follow it with: pi-geon log -f ${id}`
				: `No host works on run ${id} yet, and there is no pi on the PATH to start one: ` +
					"it starts when the session that asked for this subagent is opened in pi again.";
	const error = `${none} ${now}`;
	if (out.isJson) out.document({ status: why, how, runId: id, error });
	else out.failed(error);
	return why === "left" ? 130 : 1;
}

function showReply({ out }: Call, { run }: EndedRecord, { taken }: { taken: boolean }): ExitCode {
	const { outcome } = run;
	const reply = outcome.output;
	const failure = outcome.status === "success" ? [] : [outcome.error.message];
	const problems = [...failure, ...(taken ? [] : ["Your message was not received."])];
	const error = problems.length === 0 ? undefined : problems.join(" ");
	if (out.isJson) out.document({ status: error === undefined ? "ok" : "error", runId: run.id, reply, error });
	else if (reply !== undefined) out.lines([plain(reply)]);
	if (error === undefined) return 0;
	return out.isJson ? 1 : out.failed(error);
}
