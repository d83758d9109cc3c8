import { plain } from "../collect/plain.ts";
import { inDoubt } from "../config/in-doubt.ts";
import { principalsOf } from "../config/principal-dirs.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { EndedRecord, RunRecord } from "../ledger/records.ts";
import { findSession } from "../ledger/sessions.ts";
import type { Log } from "../log/log.ts";
import { runToTell } from "../operate/child.ts";
import { type Continued, continueSession } from "../operate/continue.ts";
import { isDenial } from "../operate/denial.ts";
import { holderOf } from "../operate/posted.ts";
import { recover } from "../processes/recover.ts";
import { systemPorts as ports } from "../processes/system-ports.ts";
import { HostProfiles } from "../supervise/host-profiles.ts";
import { Hosts } from "../supervise/hosts.ts";
import { Supervisor } from "../supervise/supervisor.ts";
import { wakeHosts } from "../supervise/wake-hosts.ts";
import { type Call, type Command, countOption, type ExitCode } from "./command.ts";
import { findPi, profileFor } from "./find-pi.ts";
import { inPlaceOfParent } from "./in-place-of-parent.ts";
import { mendFirst } from "./mend-first.ts";
import { withRunNamed } from "./named-run.ts";
import { SCOPE_OPTIONS, SCOPE_TAKES } from "./scope.ts";
import { agentDir, cliLog, configIn, isInsideSubagent, ONLY_LOOKS, places, redactorHere } from "./surroundings.ts";

/** How long a host may take to come up before the run is left to whoever opens its session next. */
const HOST_WITHIN_MS = 25_000;

/** The settings that may have forbidden since what a run was allowed. */
const FORBIDDING = [
	...["enabled", "disabled", "allowWrite", "allowLspTools", "allowedLspActions"].map((key) => `subagents.${key}`),
	...["allow", "deny"].map((key) => `tools.subagents.tools.${key}`),
];

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
	seesToConfig: true,
	async run(call) {
		const { words, options, out } = call;
		if (isInsideSubagent()) return out.failed(ONLY_LOOKS);
		const seconds = countOption(options.wait, "wait");
		if (typeof seconds === "object") return out.misused(seconds.error);
		const message = words.slice(1).join(" ").trim();
		if (message === "") return out.misused("The message is empty.");
		const pi = await findPi();
		const profiles = pi && new HostProfiles(profileFor(pi), principalsOf(agentDir()));
		return withRunNamed(call, async (record, ledger) => {
			const child = runToTell(ledger, record);
			const { cwd } = child.plan;
			const loaded = configIn(cwd);
			const [doubt] = inDoubt(loaded.diagnostics, FORBIDDING);
			if (doubt) return out.failed(`Nothing was sent. ${mendFirst(doubt)}`);
			out.diagnostics(loaded.diagnostics);
			// From here on, whoever leaves is told what becomes of the message.
			const leaving = seconds === undefined ? undefined : new SenderLeaves();
			const log = cliLog(redactorHere());
			const { parent, sources } = await inPlaceOfParent(child.plan, loaded.config);
			const continued = await continueSession(
				child,
				{ message, sender: "user", parentSession: child.parentSession },
				parent,
				{
					...sources,
					ledger,
					findSession: (id) => findSession(ledger, id),
					profile: (plan) => profiles?.for(plan).digest ?? child.profile.digest,
					log,
					ports,
				},
			);
			if (isDenial(continued)) {
				leaving?.dispose();
				return out.failed(continued.error);
			}
			log.info(continued.how, { runId: continued.record.run.id, agent: continued.record.plan.agent });
			const hosts = profiles && new Hosts({ ledger, places: places(), profiles, ports, log });
			const isPiHere = hosts !== undefined;
			const supervisor = new Supervisor({ ledger, hosts, ports, log });
			try {
				if (leaving && seconds !== undefined) {
					return await replyWithin(call, { ledger, supervisor, isPiHere, continued, seconds, leaving });
				}
				const { record: holder, underway } = isPiHere
					? await hostFor(continued, { ledger, supervisor })
					: await wakeThere(continued, { ledger, log });
				if (holder.run.state === "ended" && holder.run.outcome.status !== "success") {
					const { taken } = holderOf(ledger, { ...continued, record: holder });
					return showReply(call, { ...holder, run: holder.run }, { taken });
				}
				return tell(call, { ...continued, record: holder }, { underway, isPiHere });
			} finally {
				leaving?.dispose();
				supervisor.dispose();
			}
		});
	},
};

/** Ctrl-C of somebody who waits, or the end of their patience. */
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

/** Has a host take it on, found or started, and tells which run that is by now. Not underway if none came. */
async function hostFor(
	continued: Continued,
	{ ledger, supervisor }: { ledger: Ledger; supervisor: Supervisor },
): Promise<{ record: RunRecord; underway: boolean }> {
	for (let { record } = continued; ; ) {
		const underway = await supervisor.handOver(record.run.id, HOST_WITHIN_MS);
		const { record: holder } = holderOf(ledger, { ...continued, record });
		// If the run ended meanwhile, the message may be another's.
		if (holder.run.id === record.run.id || !underway) return { record: holder, underway };
		record = holder;
	}
}

/** Where none can be started, those that are there may take it on. */
async function wakeThere(
	continued: Continued,
	{ ledger, log }: { ledger: Ledger; log: Log },
): Promise<{ record: RunRecord; underway: boolean }> {
	await wakeHosts(ledger, ports);
	recover({ ledger, log, ports }); // The runs of those that turned out to be dead.
	const { record } = holderOf(ledger, continued);
	return { record, underway: record.run.state !== "queued" };
}

interface Situation {
	underway: boolean;
	/** Whether there is a pi on the PATH, which could be started as a host. */
	isPiHere: boolean;
}

function tell({ out }: Call, { how, record }: Continued, { underway, isPiHere }: Situation): ExitCode {
	const { id } = record.run;
	if (out.isJson) out.document({ status: "accepted", how, runId: id, underway });
	else if (!underway) {
		const why = isPiHere
			? "No host has answered yet; `pi-geon doctor` says what is wrong. At the latest,"
			: "No host works on it yet, and there is no pi on the PATH to start one:";
		out.lines([
			`Accepted as run ${id}. ${why}`,
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
			return tellNone(call, { ...continued, record: holder }, { why, seconds, isPiHere });
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

/** Its answer is what was asked for, and that is not there: a script must not take this for one. */
function tellNone({ out }: Call, { how, record }: Continued, { why, seconds, isPiHere }: NoReply): ExitCode {
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
