import { afterEach } from "vitest";
import type { Home, HomeOptions } from "./home.ts";
import { cleanup, expectNothingLeft } from "./leaks.ts";
import { type Script, type ScriptedModel, startModel } from "./model.ts";
import { expectRings } from "./rings.ts";
import { expectThroughPool, makeHomeForRuns } from "./through-pool.ts";

export interface TestHomeOptions extends Omit<HomeOptions, "model"> {
	/** Plays the model of this home; `model` shares one that the test started itself (and closes). */
	readonly script?: Script;
	readonly model?: ScriptedModel;
}

/**
 * Call it once in a file or a `describe`; what it returns opens a home inside a test. After each test everything is
 * closed, and the test fails if a process, socket or temporary file of ours survived. After a failed test, nothing is
 * checked: it stopped half-way with gates shut, and a report of what it left would only hide the cause.
 */
export function useHome(): (options: TestHomeOptions) => Promise<Home> {
	const open = new Set<Home>();
	const ownModels = new Set<ScriptedModel>();
	afterEach(async ({ task }) => {
		const homes = [...open];
		open.clear();
		try {
			if (task.result?.state !== "fail") for (const home of homes) await closeAndCheck(home);
		} finally {
			await Promise.all(homes.map(cleanup));
			await Promise.all([...ownModels].map((model) => model.close()));
			ownModels.clear();
		}
	});
	return async ({ script, model, ...options }) => {
		const played = model ?? (await startModel(script ?? (() => "")));
		if (!model) ownModels.add(played);
		const home = await makeHomeForRuns({ ...options, model: played });
		open.add(home);
		if (home.worker) open.add(home.worker);
		return home;
	};
}

/** Closes what a test left open, and fails if a process, socket or temporary file of ours survives that, or a host had no ring. */
export async function closeAndCheck(home: Home): Promise<void> {
	await Promise.all([...home.closers].map((close) => close()));
	await expectNothingLeft(home);
	expectRings(home);
	expectThroughPool(home);
}
