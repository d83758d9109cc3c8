import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { principalDirs } from "../../config/principal-dirs.ts";
import { findHost, findOrReserveHost, type HostRecord, hostGone } from "../../ledger/hosts.ts";
import { systemPorts } from "../../processes/system-ports.ts";
import { HostConnection } from "../../supervise/connection.ts";
import { inRing } from "../../supervise/profile.ts";
import { startHost } from "../../supervise/start-host.ts";
import { type Check, type Examination, type Finding, pass } from "./check.ts";

const UP_WITHIN_MS = 20_000;
const ANSWER_WITHIN_MS = 5000;
const UP_YET_EVERY_MS = 20;
/** How long it stays when idle. */
const IDLE_MS = 1000;

/** Prefix of the profiles of hosts that are tested here. Such a host never gets a run. */
const TRIAL = "doctor-";

/** Whether a host was only started as a test. It leaves a moment later. */
export const isTrial = ({ profile }: HostRecord): boolean => profile.digest.startsWith(TRIAL);

/** Starts a host of its own, as a delegation would, talks to it and lets it exit. */
export const checkHost: Check = {
	name: "host",
	async *run(examination) {
		const { profile } = examination.sources;
		if (!profile) {
			yield { level: "warn", what: "No host was started, because there is no pi to start it with" };
		} else if (!examination.ledger) {
			yield { level: "warn", what: "No host was started, because the ledger cannot be used" };
		} else yield await tryHost(examination);
	},
};

async function tryHost({ sources, ledger, signal }: Examination): Promise<Finding> {
	const { places, profile } = sources;
	if (!ledger || !profile) throw new Error("There is nothing to start a host with.");
	// A unique profile, so that this host gets no run.
	const { config } = sources.config;
	const isRinged = config.subagents.sandbox.mode !== "off";
	const own = {
		...(isRinged ? inRing(profile, principalDirs(config)) : profile),
		digest: `${TRIAL}${randomUUID()}`,
		env: { ...profile.env, PI_GEON_HOST_IDLE_MS: `${IDLE_MS}` },
	};
	const began = performance.now();
	const { host } = findOrReserveHost(ledger, {
		profile: { digest: own.digest },
		at: Date.now(),
		startWithinMs: UP_WITHIN_MS,
		socketOf: places.socket,
	});
	const failed = (detail: string): Finding => ({
		level: "fail",
		what: "A host process cannot be started",
		detail,
		remedy: `Look for the cause in its log, ${places.log(host.id)}. Nothing can be delegated until then.`,
	});
	let ended: string | undefined;
	let isDone = false;
	startHost(host, {
		profile: own,
		places,
		withinMs: UP_WITHIN_MS,
		// Called when its time is up, when the ledger may be closed.
		isReady: () => isDone || findHost(ledger, host.id)?.pid !== undefined,
		onExit: (reason) => {
			ended = reason;
		},
	});
	while (ended === undefined && !signal.aborted && performance.now() - began < UP_WITHIN_MS) {
		const connection = await connected(host.socket);
		if (!connection) {
			await pause(UP_YET_EVERY_MS);
			continue;
		}
		const answers = await connection.answers(ANSWER_WITHIN_MS);
		isDone = true;
		connection.close(); // Without connections it exits by itself.
		if (!answers) return failed("It listens on its socket, but does not answer.");
		return pass(`A host starts and answers, in ${Math.round(performance.now() - began)} ms`);
	}
	hostGone(ledger, host.id, Date.now());
	if (signal.aborted) return { level: "warn", what: "Waiting for the host was cancelled" };
	return failed(ended ?? `It did not come up within ${UP_WITHIN_MS / 1000} s.`);
}

async function connected(socket: string): Promise<HostConnection | undefined> {
	try {
		return await HostConnection.open(socket, systemPorts);
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined; // Not listening yet.
		throw error;
	}
}
