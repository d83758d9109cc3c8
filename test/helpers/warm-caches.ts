import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placesIn } from "../../src/ledger/places.ts";
import { delegateTo, finalize } from "../e2e/child.ts";
import { compileCache, type Home, LOADER_CACHE, makeHome } from "./home.ts";
import { cleanup, expectNothingLeft } from "./leaks.ts";
import { startModel } from "./model.ts";
import { dispatch } from "./model-scripts.ts";
import { text } from "./model-steps.ts";
import { promptPi } from "./prompt-pi.ts";
import { type PiVersion, piVersions } from "./repository.ts";

/**
 * A host in a ring writes the code that Node and pi's loader have compiled into the state folder, and each test has its
 * own state folder. So all hosts would start cold, which takes half as long again. Therefore one host of each version
 * is started before the tests, which get a copy of its compiled code. Returns a function that removes it.
 */
export async function warmCaches(): Promise<() => void> {
	const folder = mkdtempSync(join(tmpdir(), "pg-warm-"));
	const remove = () => rmSync(folder, { recursive: true, force: true });
	try {
		await Promise.all(piVersions.map((version) => warm(version, folder)));
	} catch (error) {
		remove();
		throw error;
	}
	process.env[LOADER_CACHE] = folder;
	return remove;
}

async function warm(pi: PiVersion, folder: string): Promise<void> {
	const parent = [delegateTo("explorer", "Do it."), text("Done.")];
	const model = await startModel(dispatch({ parent, child: [finalize("Fine.")] }));
	// Without the variable, a host has its own folder for what Node compiles.
	const home: Home = await makeHome({ model, pi, env: { NODE_COMPILE_CACHE: "" } });
	try {
		await promptPi(home, "Go.");
		await expectNothingLeft(home);
		const { compiled, loader } = placesIn(home.agentDir).ringed;
		// On a machine without rings, it does not exist.
		for (const made of [compiled, loader]) mkdirSync(made, { recursive: true });
		cpSync(compiled, compileCache, { recursive: true });
		cpSync(loader, folder, { recursive: true });
	} finally {
		await cleanup(home);
		await model.close();
	}
}
