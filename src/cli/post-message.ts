import { inDoubt } from "../config/in-doubt.ts";
import { principalsOf } from "../config/principal-dirs.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { RunRecord } from "../ledger/records.ts";
import { findSession } from "../ledger/sessions.ts";
import type { Log } from "../log/log.ts";
import { type Continued, continueSession } from "../operate/continue.ts";
import { type Denial, isDenial } from "../operate/denial.ts";
import { holderOf } from "../operate/posted.ts";
import { recover } from "../processes/recover.ts";
import { systemPorts as ports } from "../processes/system-ports.ts";
import type { Diagnostic } from "../run/diagnostic.ts";
import { HostProfiles } from "../supervise/host-profiles.ts";
import { Hosts } from "../supervise/hosts.ts";
import { Supervisor } from "../supervise/supervisor.ts";
import { wakeHosts } from "../supervise/wake-hosts.ts";
import { correctFirst } from "./correct-first.ts";
import { findPi, profileFor } from "./find-pi.ts";
import { inPlaceOfParent } from "./in-place-of-parent.ts";
import { agentDir, configIn, places } from "./surroundings.ts";
import { endedHere } from "./traces-here.ts";

/** How long to wait for a host. After that, the run waits for the pi that opens its session next. */
const HOST_WITHIN_MS = 25_000;

/** Settings that may have been tightened since a run was planned. */
const FORBIDDING = [
	...["enabled", "disabled", "allowWrite", "allowLspTools", "allowedLspActions"].map((key) => `subagents.${key}`),
	...["allow", "deny"].map((key) => `tools.subagents.tools.${key}`),
];

/** The profiles for starting a host. Undefined if there is no pi on the PATH. */
export async function profilesHere(): Promise<HostProfiles | undefined> {
	const pi = await findPi();
	return pi && new HostProfiles(profileFor(pi), principalsOf(agentDir()));
}

export interface MessageSources {
	ledger: Ledger;
	log: Log;
	profiles: HostProfiles | undefined;
	/** Receives problems of a configuration file. The message is sent anyway. */
	onDiagnostics?: (diagnostics: readonly Diagnostic[]) => void;
}

/** Gives a child a message of the user on behalf of its parent: to the open run, or else to a new one. */
export async function postMessage(
	child: RunRecord,
	message: string,
	{ ledger, log, profiles, onDiagnostics }: MessageSources,
): Promise<Continued | Denial> {
	const loaded = configIn(child.plan.cwd);
	const [doubt] = inDoubt(loaded.diagnostics, FORBIDDING);
	if (doubt) return { status: "error", error: `Nothing was sent. ${correctFirst(doubt)}` };
	onDiagnostics?.(loaded.diagnostics);
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
	if (!isDenial(continued)) {
		log.info(continued.how, { runId: continued.record.run.id, agent: continued.record.plan.agent });
	}
	return continued;
}

export const supervisorWith = ({ ledger, log, profiles }: MessageSources): Supervisor => {
	const hosts = profiles && new Hosts({ ledger, places: places(), profiles, ports, log });
	return new Supervisor({ ledger, hosts, ports, log, onEndedHere: (runId) => endedHere(runId, ledger) });
};

/** The run that has the message now, and whether a host is working on it. */
export interface Placed {
	record: RunRecord;
	underway: boolean;
}

/** Finds or starts a host that receives the message. Without a pi on the PATH, only a running host can. */
export const placeMessage = (
	continued: Continued,
	sources: MessageSources & { supervisor: Supervisor },
): Promise<Placed> => (sources.profiles ? hostFor(continued, sources) : wakeRunningHosts(continued, sources));

/** Returns the run that has the message now. It is not underway if no host answered. */
async function hostFor(
	continued: Continued,
	{ ledger, supervisor }: { ledger: Ledger; supervisor: Supervisor },
): Promise<Placed> {
	for (let { record } = continued; ; ) {
		const underway = await supervisor.awaitHost(record.run.id, HOST_WITHIN_MS);
		const { record: holder } = holderOf(ledger, { ...continued, record });
		// If the run has finished in the meantime, another run may have the message.
		if (holder.run.id === record.run.id || !underway) return { record: holder, underway };
		record = holder;
	}
}

/** Wakes the running hosts, since none can be started. */
async function wakeRunningHosts(continued: Continued, { ledger, log }: { ledger: Ledger; log: Log }): Promise<Placed> {
	await wakeHosts(ledger, ports);
	// Waking the hosts may have shown that some are dead.
	for (const runId of recover({ ledger, log, ports })) endedHere(runId, ledger);
	const { record } = holderOf(ledger, continued);
	return { record, underway: record.run.state !== "queued" };
}

/** What happens to a message that no host has yet. */
export const notUnderway = ({ profiles }: Pick<MessageSources, "profiles">): string =>
	profiles
		? "No host has answered yet; `pi-geon doctor` says what is wrong. At the latest,"
		: "No host works on it yet, and there is no pi on the PATH to start one:";
