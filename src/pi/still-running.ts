import { writeSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { inOneLine } from "../collect/plain.ts";
import { type RunView, viewOf } from "../deliver/run-view.ts";
import { findRun, type RunRecord } from "../ledger/records.ts";
import { dollars, duration, plural } from "../run/amounts.ts";
import type { RunId } from "../run/ids.ts";
import { INSPECTOR_KEY } from "./inspector-key.ts";
import type { SessionServices } from "./session-services.ts";

const RUNS_SAID = 3;

interface StillRunning {
	session: ExtensionContext;
	services: SessionServices;
	/** The runs that no call waits for, as of the last look. */
	open: readonly { id: RunId }[];
}

/** Says which runs continue after the user ended a turn with Esc, since that is easy to miss. */
export async function sayStillRunning(setup: StillRunning): Promise<void> {
	const runs = await keptRuns(setup);
	if (runs.length === 0) return;
	const them = runs.length === 1 ? "it" : "them";
	const text = `${whatKeepsRunning(runs)} in the background. ${INSPECTOR_KEY} shows ${them}, /stop stops ${them}.`;
	setup.session.ui.notify(text, "info");
}

/** Says what keeps running when pi closes, what it may cost, and how to view it. Printed, since pi's screen is gone. */
export async function printStillRunning(setup: StillRunning, print = toTerminal): Promise<void> {
	const runs = await keptRuns(setup);
	if (runs.length === 0) return;
	const file = setup.session.sessionManager.getSessionFile();
	const report = runs.length === 1 ? "Its report comes" : "Their reports come";
	const lines = [
		`${whatKeepsRunning(runs)} without pi.`,
		costOf(runs),
		...(file === undefined ? [] : [`${report} when you open this session again: pi --session ${inOneLine(file)}`]),
		`View or stop ${runs.length === 1 ? "it" : "them"} from a shell: pi-geon list, pi-geon stop <run>.`,
	];
	print(`${lines.join("\n")}\n`);
}

function toTerminal(text: string): void {
	try {
		writeSync(process.stdout.fd, text);
	} catch (error) {
		// The terminal may be gone too.
		if (!(error instanceof Error && "code" in error)) throw error;
	}
}

interface KeptRun {
	view: RunView;
	limits: RunRecord["plan"]["limits"];
}

/** Leaves out runs that are being stopped. */
function keptRuns({ session, services, open }: StillRunning): Promise<KeptRun[]> {
	return services.use(session, async ({ ledger, redactor }) =>
		open
			.flatMap(({ id }) => findRun(ledger, id) ?? [])
			.filter(({ run }) => run.state !== "ended" && !run.stop)
			.map((record) => ({ view: viewOf(record, redactor), limits: record.plan.limits })),
	);
}

function whatKeepsRunning(runs: readonly KeptRun[]): string {
	const names = runs.slice(0, RUNS_SAID).map(({ view: { agent, label } }) => agent + (label ? ` "${label}"` : ""));
	const more = runs.length - names.length;
	const who = [...names, ...(more > 0 ? [`${more} more`] : [])].join(", ");
	return inOneLine(`${plural(runs.length, "subagent")} (${who}) ${runs.length === 1 ? "keeps" : "keep"} running`);
}

/** The cost so far, and the most that may be added. Without a cost limit, only the time limit bounds it. */
function costOf(runs: readonly KeptRun[]): string {
	const spent = runs.reduce((sum, { view }) => sum + view.usage.cost, 0);
	const soFar = spent > 0 ? `Cost so far: ${dollars(spent)}` : "No cost so far";
	const left = runs.map(({ view, limits }) =>
		limits.maxCostUsd === undefined ? undefined : Math.max(0, limits.maxCostUsd - view.usage.cost),
	);
	if (left.every((amount) => amount !== undefined)) {
		return `${soFar}, at most ${dollars(left.reduce((sum, amount) => sum + amount, 0))} more.`;
	}
	const longest = Math.max(...runs.map(({ limits }) => limits.timeoutMs));
	return `${soFar}. There is no cost limit; the time limit is ${duration(longest)}.`;
}
