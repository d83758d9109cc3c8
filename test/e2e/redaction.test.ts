import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Home } from "../helpers/home.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { delay, httpError, text, toolCall } from "../helpers/model-steps.ts";
import { promptPi as startPi } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { type Answered, useSharedPi } from "../helpers/shared-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";

const openOwnHome = useHome();
const { openHome, promptPi } = useSharedPi();

/** Of no known shape, so that only knowing it can mask it. */
const LITERAL = "zebra.plover!quartz-91";
const GITHUB = `ghp_${"Ab3".repeat(12)}`;
const env = { DEPLOY_TOKEN: LITERAL };

/** All that we hand to the parent: results, partial updates, host logs. */
function everythingShown(home: Home, run: Answered): string {
	const hosts = join(home.agentDir, "pi-geon", "hosts");
	const logs = readdirSync(hosts)
		.filter((name) => name.endsWith(".log"))
		.map((name) => readFileSync(join(hosts, name), "utf8"));
	expect(logs).not.toEqual([]);
	return JSON.stringify([run.toolResults, run.partials, logs]);
}

test("nothing that leaves a child carries a secret: answers, calls, the task, streamed text", async () => {
	const home = await openHome({
		env,
		script: dispatch({
			parent: [delegateTo("explorer", `Look for ${LITERAL}.`), text("Done.")],
			child: [
				[text(`I see ${LITERAL} here and ${GITHUB} there, `), delay(300), text("as I said."), delay(300)],
				toolCall("grep", { pattern: LITERAL, path: "." }),
				finalize(`The token is ${LITERAL}, in ${"$HOME"}; the other is ${GITHUB}.`),
			],
		}),
	});
	const run = await promptPi(home, "Go.");
	const [details] = delegations(run);
	expect(details?.results[0]?.output).toBe("The token is [redacted], in $HOME; the other is [redacted:github-token].");
	expect(details?.results[0]?.task).toBe("Look for [redacted].");
	expect(JSON.stringify(run.partials)).toContain("I see [redacted] here");
	const all = everythingShown(home, run);
	expect(all).not.toContain(LITERAL);
	expect(all).not.toContain(GITHUB);
});

test("a token that came while the child was running is masked too", async () => {
	const token = "heron.wader?basalt-47";
	const home: Home = await openOwnHome({
		script: dispatch({
			parent: [delegateTo("explorer", "Look."), text("Done.")],
			child: async () => {
				writeFileSync(
					join(home.agentDir, "auth.json"),
					JSON.stringify({ elsewhere: { type: "api_key", key: token } }),
					{ mode: 0o600 },
				);
				// Secrets are read again once a second.
				await new Promise((resolve) => setTimeout(resolve, 1100));
				return finalize(`It is ${token}.`);
			},
		}),
	});
	const run = await startPi(home, "Go.");
	expect(delegations(run)[0]?.results[0]?.output).toBe("It is [redacted].");
	expect(everythingShown(home, run)).not.toContain(token);
});

test("what a child's tool prints is in the host's log, without the secret", async () => {
	const home: Home = await openOwnHome({
		env,
		moreExtensions: [join(repositoryRoot, "test", "children", "printing-tool.ts")],
		agents: { "worker.md": agentNamed("worker", "You work.", "tools: prints") },
		config: { subagents: { allowWrite: true } },
		script: dispatch({
			parent: [delegateTo("worker", "Print."), text("Done.")],
			child: [toolCall("prints", { text: `${LITERAL} ${GITHUB}` }), finalize("Done.")],
		}),
	});
	const run = await startPi(home, "Go.");
	expect(delegations(run)[0]).toMatchObject({ finalized: { status: "SUCCESS" } });
	const all = everythingShown(home, run);
	for (const how of ["with the console", "as bytes"]) {
		expect(all).toContain(`printed ${how}: [redacted] [redacted:github-token]`);
	}
	expect(all).not.toContain(LITERAL);
	expect(all).not.toContain(GITHUB);
});

test("an error of the provider that repeats a key does not pass it on", async () => {
	const home = await openHome({
		env,
		script: dispatch({
			parent: [delegateTo("explorer", "Look."), text("Done.")],
			child: () => httpError(401, { body: JSON.stringify({ error: { message: `Incorrect API key: ${LITERAL}` } }) }),
		}),
	});
	const run = await promptPi(home, "Go.");
	expect(delegations(run)[0]?.error).toMatchObject({
		reason: "provider",
		message: expect.stringContaining("[redacted]"),
	});
	expect(everythingShown(home, run)).not.toContain(LITERAL);
});

test("home paths are shortened in texts, and kept in paths to open", async () => {
	const home: Home = await openHome({
		script: dispatch({
			parent: [delegateTo("explorer", "Look."), text("Done.")],
			child: ({ turn }) =>
				turn === 0 ? toolCall("ls", { path: home.home }) : finalize(`It is in ${home.home}/notes.txt.`),
		}),
	});
	const run = await promptPi(home, "Go.");
	expect(delegations(run)[0]?.results[0]).toMatchObject({
		output: "It is in ~/notes.txt.",
		sessionFile: expect.stringContaining(home.home),
	});
});

test("an answer that is too long is cut for the model, and kept whole in the details and in a file", async () => {
	const whole = Array.from({ length: 3000 }, (_, index) => `Line ${index + 1}`).join("\n");
	const home = await openHome({
		script: dispatch({ parent: [delegateTo("explorer", "Look."), text("Done.")], child: [finalize(whole)] }),
	});
	const run = await promptPi(home, "Go.");
	const [details] = delegations(run);
	const [result] = run.toolResults;
	expect(details?.results[0]).toMatchObject({ exitCode: 0, output: whole });
	expect(details?.error).toMatchObject({ code: "SUBAGENT_OUTPUT_TRUNCATED" });
	expect(result?.isError).toBe(false);
	expect(result?.text).toContain("Line 2000\n");
	expect(result?.text).not.toContain("Line 2001\n");
	const file = /This is the first 2000 of 3000 lines. The whole answer is in (\S+)]/.exec(result?.text ?? "")?.[1];
	expect(readFileSync((file ?? "").replace("~", home.home), "utf8")).toBe(whole);
});
