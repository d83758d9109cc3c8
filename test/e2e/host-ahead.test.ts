import { describe, expect, test } from "vitest";
import { hostPids } from "../helpers/hosts.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { slowToolCall, text } from "../helpers/model-steps.ts";
import { piVersions, promptPi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegations, finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

describe.each(piVersions)("in a one-shot pi %s", (version) => {
	test("a host is ready before the model has finished writing its call", async () => {
		const readyHosts = () => inLedger<{ id: string }>(home, "SELECT id FROM hosts WHERE state = 'ready'");
		let runsBefore: unknown[] | undefined;
		const home = await openHome({
			script: dispatch({
				parent: [
					slowToolCall("subagent", { agent: "explorer", task: "Find it." }, async () => {
						await eventually(() => expect(readyHosts()).not.toEqual([]));
						runsBefore = inLedger(home, "SELECT id FROM runs");
					}),
					text("Done."),
				],
				child: () => finalize("Found."),
			}),
		});
		const run = await promptPi(home, "Go.", { version });
		expect(delegations(run)[0]?.finalized).toEqual({ status: "SUCCESS", result: "Found." });
		expect(runsBefore).toEqual([]);
	});

	test("no host is started for a call of another tool", async () => {
		const home = await openHome({
			script: dispatch({
				parent: [slowToolCall("ls", { path: "." }, async () => {}), text("Done.")],
				child: () => finalize("Found."),
			}),
		});
		await promptPi(home, "Go.", { version });
		expect(hostPids(home)).toEqual([]);
	});
});
