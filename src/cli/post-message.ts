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

/** How long a host may take to come up before the run is left to the pi that opens its session next. */
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
	/** Problems of a configuration file, while the message is sent. */
	onDiagnostics?: (diagnostics: readonly Diagnostic[]) => void;
}

/** Gives a child a message of the user in place of its parent: the open run receives it, or else a new run. */
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

/** Makes a host receive the message: one that is found or started, or, without a pi, one that is already running. */
export const placeMessage = (
	continued: Continued,
	sources: MessageSources & { supervisor: Supervisor },
): Promise<Placed> => (sources.profiles ? hostFor(continued, sources) : wakeThere(continued, sources));

/** Returns which run has it now. It is not underway if no host came. */
async function hostFor(
	continued: Continued,
	{ ledger, supervisor }: { ledger: Ledger; supervisor: Supervisor },
): Promise<Placed> {
	for (let { record } = continued; ; ) {
		const underway = await supervisor.awaitHost(record.run.id, HOST_WITHIN_MS);
		const { record: holder } = holderOf(ledger, { ...continued, record });
		// If the run finished meanwhile, another run may have the message.
		if (holder.run.id === record.run.id || !underway) return { record: holder, underway };
		record = holder;
	}
}

/** If no host can be started, running hosts may take it on. */
async function wakeThere(continued: Continued, { ledger, log }: { ledger: Ledger; log: Log }): Promise<Placed> {
	await wakeHosts(ledger, ports);
	// The runs of hosts that turned out to be dead.
	for (const runId of recover({ ledger, log, ports })) endedHere(runId, ledger);
	const { record } = holderOf(ledger, continued);
	return { record, underway: record.run.state !== "queued" };
}

/** What happens to a message that no host has yet. */
export const notUnderway = ({ profiles }: Pick<MessageSources, "profiles">): string =>
	profiles
		? "No host has answered yet; `pi-geon doctor` says what is wrong. At the latest,"
		: "No host works on it yet, and there is no pi on the PATH to start one:";
