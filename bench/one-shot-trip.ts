import { setTimeout as sleep } from "node:timers/promises";
import { type Home, makeHome } from "../test/helpers/home.ts";
import { hostPids, killHosts } from "../test/helpers/hosts.ts";
import { cleanup, processesOf } from "../test/helpers/leaks.ts";
import { type ScriptedModel, startModel } from "../test/helpers/model.ts";
import { text } from "../test/helpers/model-steps.ts";
import { runPi } from "../test/helpers/run-pi.ts";
import { requireAnswers, toolResultsOf } from "./parent.ts";
import { callOf, type Subject, slowCallOf } from "./subject.ts";

/** How long the model takes to write a call that does not come at once. */
const WRITES_FOR_MS = 1000;

/** A `pi -p` that delegates once, again and again. */
export interface OneShot {
	/** Milliseconds from the complete call to the request with its result, in a pi of its own that finds no host. */
	trip(written: "at once" | "in a second"): Promise<number>;
	close(): Promise<void>;
}

export async function openOneShot(subject: Subject): Promise<OneShot> {
	let isSlow = false;
	const model: ScriptedModel = await startModel(
		(request) => {
			if (request.isChild) return subject.child(request);
			if (request.lastMessage?.role === "tool") return text("Done.");
			return isSlow ? slowCallOf(subject, () => sleep(WRITES_FOR_MS)) : callOf(subject);
		},
		subject.isChild ? { isChild: subject.isChild } : {},
	);
	const home = await makeHome({ ...subject, model });
	return {
		async trip(written) {
			isSlow = written === "in a second";
			const before = model.requests.length;
			await runPi(home, ["--mode", "json", ...home.extensionArgs, "-p", "Go."], { timeoutMs: 60_000 });
			await endHosts(home);
			const [asked, told] = model.requests.slice(before).filter(({ isChild }) => !isChild);
			if (asked?.endedAt === undefined || !told) throw new Error(`No round trip: ${model.describeRequests()}`);
			requireAnswers(toolResultsOf(told), 1);
			return told.startedAt - asked.endedAt;
		},
		async close() {
			await cleanup(home);
			await model.close();
		},
	};
}

/** With a signal that lets them write what they compiled, as when they leave by themselves. */
async function endHosts(home: Home): Promise<void> {
	killHosts(home, "SIGTERM");
	for (let waited = 0; hostPids(home).length > 0 && waited < 5000; waited += 20) await sleep(20);
	if (processesOf(home).length > 0) killHosts(home);
}
