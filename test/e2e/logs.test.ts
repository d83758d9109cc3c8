import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readLogs } from "../../src/log/read-logs.ts";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { httpError, text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, promptPi, somePi, startRpc } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

const placesOf = ({ agentDir }: Home) => ({
	parentLog: join(agentDir, "pi-geon", "parent.log"),
	hosts: join(agentDir, "pi-geon", "hosts"),
});

describe.each(somePi(import.meta.url))("logs on pi %s", (version) => {
	test("tell the story of a run, parent and host, each line with its id and without secrets", async () => {
		let asked = 0;
		const secret = "zx81-correct-horse-battery-staple";
		const home = await openHome({
			env: { SERVICE_API_KEY: secret },
			script: dispatch({
				parent: [
					[
						toolCall("sessions_spawn", { agent: "nobody", task: "x", label: secret }),
						toolCall("subagent", { agent: "explorer", task: "Look." }),
					],
					text("Done."),
				],
				child: () => (asked++ === 0 ? httpError(503) : finalize("Found.")),
			}),
		});
		await promptPi(home, "Delegate.", { version });
		const [row] = inLedger<{ id: string }>(home, "SELECT id FROM runs");
		await eventually(() => expect(readLogs(placesOf(home)).map(({ message }) => message)).toContain("leaving"));
		const lines = readLogs(placesOf(home), { run: row?.id ?? "" });
		expect(lines.map(({ role, message }) => `${role}: ${message}`)).toEqual([
			"parent: admitted",
			"host: claimed",
			"host: started",
			"host: asks the model again",
			"host: ended",
			"parent: answered",
		]);
		expect(lines.every(({ agent }) => agent === "explorer")).toBe(true);
		expect(lines.at(-2)?.facts).toMatchObject({ status: "success", attempts: 1, ms: expect.any(Number) });
		const all = readLogs(placesOf(home)).map(({ message }) => message);
		expect(all).toEqual(expect.arrayContaining(["starting a host", "ready", "leaving"]));
		const { parentLog } = placesOf(home);
		expect(statSync(parentLog).mode & 0o777).toBe(0o600);
		expect(readFileSync(parentLog, "utf8")).not.toContain(secret);
	});
});

describe("logs on any pi", () => {
	const version = ANY_PI;

	longTest("a pi that never delegates makes no file", async () => {
		const home = await openHome({ untouched: true, script: () => text("Hello.") });
		await promptPi(home, "Hello.", { version });
		expect(existsSync(join(home.agentDir, "pi-geon"))).toBe(false);
	});
});

longTest("announces, stops and refusals are logged", async () => {
	const held = gate();
	const home = await openHome({
		script: dispatch({
			parent: ({ lastUserText, lastMessage }) => {
				if (lastMessage?.role === "tool") return text("Well.");
				if (lastUserText === "spawn") return toolCall("sessions_spawn", { agent: "explorer", task: "wait" });
				if (lastUserText === "refuse") return toolCall("subagent", { agent: "nobody", task: "x" });
				return text("Heard.");
			},
			child: async () => {
				await held.opened;
				return finalize("Never said.");
			},
		}),
	});
	const rpc = startRpc(home);
	await rpc.promptAndSettle("refuse");
	await rpc.promptAndSettle("spawn");
	await eventually(() => expect(home.model.requests.some(({ isChild }) => isChild)).toBe(true));
	inLedger(home, "UPDATE runs SET stop_at = 1, stop_by = 'a test'");
	await eventually(() => expect(readLogs(placesOf(home)).map(({ message }) => message)).toContain("announced"));
	held.open();
	const expected = expect.arrayContaining(["refused", "admitted", "stopping", "ended", "announcing"]);
	await eventually(() => expect(readLogs(placesOf(home)).map(({ message }) => message)).toEqual(expected));
	const refused = readLogs(placesOf(home)).find(({ message }) => message === "refused");
	expect(refused?.facts).toMatchObject({ code: "UNKNOWN_AGENT" });
});
