import { cp, rm } from "node:fs/promises";
import { afterAll, afterEach } from "vitest";
import { type Home, type HomeOptions, makeHome } from "./home.ts";
import { cleanup, expectNothingLeft } from "./leaks.ts";
import { type Script, startModel } from "./model.ts";
import { closeAndCheck } from "./use-home.ts";

export interface Preparation extends Omit<HomeOptions, "model"> {
	readonly script: Script;
	/** Prepares the home, and leaves nothing running. */
	readonly past: (home: Home) => Promise<void>;
}

/**
 * A home with a history. The history is played once per file, and each test finds the home as it was then: at the same
 * path, because ledger and sessions contain it, and with a model that has had no requests.
 */
export function usePreparedHome({ script, past, ...options }: Preparation): () => Promise<Home> {
	let prepared: Promise<Home> | undefined;
	let inUse: Home | undefined;
	const prepare = async (): Promise<Home> => {
		const home = await makeHome({ ...options, model: await startModel(script) });
		await past(home);
		await expectNothingLeft(home);
		await copy(home.scratch, kept(home));
		return home;
	};
	afterEach(async ({ task }) => {
		const home = inUse;
		inUse = undefined;
		if (!home) return;
		try {
			if (task.result?.state !== "fail") await closeAndCheck(home);
		} finally {
			await cleanup(home);
		}
	});
	afterAll(async () => {
		const home = await prepared;
		if (!home) return;
		await rm(kept(home), { recursive: true, force: true });
		await home.model.close();
	});
	return async () => {
		prepared ??= prepare();
		const home = await prepared;
		inUse = home;
		await rm(home.scratch, { recursive: true, force: true });
		await copy(kept(home), home.scratch);
		home.model.requests.length = 0;
		return home;
	};
}

const kept = ({ scratch }: Home): string => `${scratch}-kept`;

const copy = (from: string, to: string): Promise<void> =>
	cp(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
