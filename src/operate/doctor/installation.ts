import { type Check, pass } from "./check.ts";

/** Whether a pi that is started here has this package. */
export const checkInstallation: Check = {
	name: "installation",
	*run({ sources: { isLoaded, agentDir }, ledger }) {
		if (isLoaded) yield pass("pi loads pi-geon");
		// A user who starts pi with `-e` has no entry in the settings, but has delegated.
		else if (isLoaded === false && !ledger?.get("SELECT 1 FROM runs LIMIT 1")) {
			yield {
				level: "warn",
				what: "pi does not load pi-geon: its settings name neither the package nor an extension of it",
				detail: `${agentDir}/settings.json. A pi started with -e may still load it.`,
				remedy: "pi install npm:pi-geon",
			};
		}
	},
};
