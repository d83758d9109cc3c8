import { render } from "preact";
import { connection, goLive } from "./data/live.ts";
import {
	followOpenRun,
	refetchRun,
	takeDetail,
	takeProgress,
	takeQuestions,
	takeTranscript,
	watching,
} from "./data/open-run.ts";
import { dropRows, followFilters, refetchRuns, takeRows } from "./data/run-list.ts";
import { followTabTitle } from "./data/tab-title.ts";
import { followTheme } from "./data/theme.ts";
import { takeToken } from "./data/token.ts";
import { followKeys } from "./key-actions.ts";
import { Shell } from "./shell.tsx";

/** The browser's half of the live page. The server holds the state, and this only draws it. */
function start(): void {
	followTheme();
	followTabTitle();
	const place = document.getElementById("page");
	// Removes the placeholder that is shown until the script runs.
	place?.replaceChildren();
	if (place) render(<Shell />, place);
	if (takeToken() === undefined) {
		connection.value = "denied";
		return;
	}
	let isFirst = true;
	goLive({
		watching,
		onOpen: () => {
			if (!isFirst) {
				void refetchRuns();
				void refetchRun();
			}
			isFirst = false;
		},
		handlers: {
			runs: ({ runs }) => takeRows(runs),
			removed: ({ runIds }) => dropRows(runIds),
			run: takeDetail,
			transcript: takeTranscript,
			progress: takeProgress,
			questions: takeQuestions,
		},
	});
	followFilters();
	followOpenRun();
	followKeys();
}

start();
