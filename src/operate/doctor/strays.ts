import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findHost, type HostRecord, listGoneHosts, listHosts } from "../../ledger/hosts.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { isDead } from "../../processes/host-process.ts";
import { reap, reapDead } from "../../processes/reaper.ts";
import { systemPorts } from "../../processes/system-ports.ts";
import { plural } from "../../run/amounts.ts";
import { isHostId, newHostId } from "../../run/ids.ts";
import { HostConnection } from "../../supervise/connection.ts";
import { type Check, type Examination, type Finding, fixable, pass } from "./check.ts";
import { isTrial } from "./host.ts";
import { namesIn } from "./names-in.ts";

const STRAY_ANSWERS_WITHIN_MS = 2000;
/** A leaving host disappears from the ledger a moment before its process exits. */
const LEAVES_WITHIN_MS = 3000;
const GONE_YET_EVERY_MS = 100;

/** Compares the ledger's hosts with reality: processes, and the sockets they listen on. */
export const checkStrays: Check = {
	name: "hosts",
	async *run(examination) {
		const { ledger } = examination;
		if (!ledger) {
			yield { level: "warn", what: "Hosts were not checked, because the ledger cannot be used" };
			return;
		}
		let problems = 0;
		let answering = 0;
		for (const host of listHosts(ledger)) {
			const finding = await findingOn(host, examination, ledger);
			if (finding === undefined) answering += isTrial(host) ? 0 : 1;
			else {
				problems++;
				yield finding;
			}
		}
		for (const finding of [...straySockets(examination, ledger), ...(await strayProcesses(examination, ledger))]) {
			problems++;
			yield finding;
		}
		if (problems === 0) {
			yield pass(
				answering === 0 ? "No host is running, and none was left behind" : `${plural(answering, "host")} running`,
			);
		}
	},
};

/** Undefined if nothing is wrong with it. */
async function findingOn(host: HostRecord, examination: Examination, ledger: Ledger): Promise<Finding | undefined> {
	const neverCameUp = host.pid === undefined && host.leaseUntil <= Date.now();
	if (neverCameUp || isDead(host)) {
		return fixable(
			{
				level: "warn",
				what: `Host ${host.id} is dead, and the ledger does not know it yet`,
				detail: host.pid === undefined ? "It never started." : `Its process ${host.pid} is gone.`,
				remedy: "The next delegation cleans up.",
			},
			examination,
			() => reapDead(ledger, host, systemPorts),
		);
	}
	// A host that a doctor has just tested may be about to exit.
	if (host.state === "starting" || isTrial(host) || (await answers(host.socket))) return undefined;
	return {
		level: "warn",
		what: `Host ${host.id} (process ${host.pid}) does not answer`,
		detail: "Something blocks it. If that lasts, another host gets its runs.",
		remedy: `If it stays like this: kill ${host.pid}`,
	};
}

async function answers(socket: string): Promise<boolean> {
	try {
		const connection = await HostConnection.open(socket, systemPorts);
		const answered = await connection.answers(STRAY_ANSWERS_WITHIN_MS);
		connection.close();
		return answered;
	} catch (error) {
		if (error instanceof Error && "code" in error) return false;
		throw error;
	}
}

function straySockets(examination: Examination, ledger: Ledger): Finding[] {
	if (process.platform === "win32") return [];
	const { places } = examination.sources;
	// Below the agent directory, or elsewhere if that is too deep for a socket; the folder is the same for every host.
	const folder = dirname(places.socket(newHostId()));
	const strays = namesIn(folder).filter((name) => {
		const id = name.replace(/\.sock$/, "");
		if (id === name || !isHostId(id)) return false;
		const host = findHost(ledger, id);
		// In a shared folder, a socket that this ledger does not know may belong to another agent directory.
		return host ? host.state === "gone" && (host.pid === undefined || isDead(host)) : folder === places.hosts;
	});
	return strays.map((name) =>
		fixable(
			{ level: "warn", what: "A socket was left behind", detail: join(folder, name), remedy: "It can be removed." },
			examination,
			() => rmSync(join(folder, name), { force: true }),
		),
	);
}

async function strayProcesses(examination: Examination, ledger: Ledger): Promise<Finding[]> {
	const deadline = performance.now() + LEAVES_WITHIN_MS;
	let strays = strayNow(ledger);
	while (strays.length > 0 && performance.now() < deadline && !examination.signal.aborted) {
		await pause(GONE_YET_EVERY_MS);
		strays = strayNow(ledger);
	}
	return strays.map((host) =>
		fixable(
			{
				level: "warn",
				what: `Process ${host.pid} is host ${host.id}, which other processes have given up on`,
				detail: "Its runs were given to other hosts, and what it still writes is ignored.",
				remedy: `End it (kill -9 ${host.pid}).`,
			},
			examination,
			() => reap(host, systemPorts),
		),
	);
}

/** Compares pid and start time. If the system does not report the time, any process may have the pid. */
function strayNow(ledger: Ledger): (HostRecord & { pid: number })[] {
	return listGoneHosts(ledger).flatMap((host) => {
		const { pid } = host;
		return pid !== undefined && host.pidStarted && !isDead(host) ? [{ ...host, pid }] : [];
	});
}
