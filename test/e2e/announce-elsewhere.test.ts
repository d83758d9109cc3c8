import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { somePi, startRpc } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

const reload = join(repositoryRoot, "test", "children", "reload-command.ts");
const announcesIn = (file: string): number => readFileSync(file, "utf8").split('"announceId"').length - 1;

/** A pi that has spawned one run, which ends when the gate opens. */
async function spawned(moreExtensions: string[] = []) {
	const proceed = gate();
	const home = await openHome({
		moreExtensions,
		script: dispatch({
			parent: ({ lastUserText, lastMessage }) =>
				lastUserText === "Go." && lastMessage?.role !== "tool"
					? toolCall("sessions_spawn", { task: "Look.", agent: "explorer" })
					: text("Noted."),
			child: async () => {
				await proceed.opened;
				return finalize("Seen.");
			},
		}),
	});
	const rpc = startRpc(home);
	await rpc.promptAndSettle("Go.");
	await home.model.waitFor((request) => request.isChild);
	const fileNow = async () => ((await rpc.send({ type: "get_state" })).data as { sessionFile: string }).sessionFile;
	return { home, rpc, proceed, fileNow, file: await fileNow() };
}

test("a parent that has switched away gets the report of its run when it is back in that session, and nowhere else", async () => {
	const { home, rpc, proceed, file, fileNow } = await spawned();
	await rpc.send({ type: "new_session" });
	await rpc.promptAndSettle("Hello.");
	const other = await fileNow();
	proceed.open();
	await home.model.waitFor((request) => request.isChild).then((request) => request.ended);
	await rpc.promptAndSettle("Still there?");
	await rpc.send({ type: "switch_session", sessionPath: file });
	await eventually(() => expect(announcesIn(file)).toBe(1));
	await rpc.close();
	expect(announcesIn(other)).toBe(0);
});

longTest("a fork is another session: the original one gets the report of the run", async () => {
	const { home, rpc, proceed, file, fileNow } = await spawned();
	const [first] = ((await rpc.send({ type: "get_fork_messages" })).data as { messages: { entryId: string }[] })
		.messages;
	await rpc.send({ type: "fork", entryId: first?.entryId });
	await rpc.promptAndSettle("Something else.");
	const fork = await fileNow();
	expect(fork).not.toBe(file);
	proceed.open();
	await home.model.waitFor((request) => request.isChild).then((request) => request.ended);
	await rpc.promptAndSettle("Anything?");
	expect(announcesIn(fork)).toBe(0);
	await rpc.send({ type: "switch_session", sessionPath: file });
	await eventually(() => expect(announcesIn(file)).toBe(1));
	await rpc.close();
	expect(announcesIn(fork)).toBe(0);
});

/** The turn continues, and its answer belongs into it. */
test.for(somePi(import.meta.url))("a reload does not stop the run that a call waits for, on pi %s", async (version) => {
	const proceed = gate();
	const home = await openHome({
		moreExtensions: [reload],
		script: dispatch({
			parent: [delegateTo("explorer", "Look."), text("Noted.")],
			child: async () => {
				await proceed.opened;
				return finalize("Seen.");
			},
		}),
	});
	const rpc = startRpc(home, { version });
	await rpc.prompt("Go.");
	await home.model.waitFor((request) => request.isChild);
	await rpc.prompt("/reload-now");
	proceed.open();
	const end = await rpc.waitForEvent((event) => event.type === "tool_execution_end");
	expect(end).toMatchObject({ result: { details: { finalized: { status: "SUCCESS", result: "Seen." } } } });
	await eventually(() => expect(inLedger(home, "SELECT delivery FROM runs")).toEqual([{ delivery: "delivered" }]));
	const { sessionFile } = (await rpc.send({ type: "get_state" })).data as { sessionFile: string };
	await rpc.close();
	expect(announcesIn(sessionFile)).toBe(0);
});

longTest("a reload while a run is running, and one while it is announced, lose and double nothing", async () => {
	const { home, rpc, proceed, file } = await spawned([reload]);
	await rpc.prompt("/reload-now");
	proceed.open();
	await home.model.waitFor((request) => request.isChild).then((request) => request.ended);
	await rpc.prompt("/reload-now");
	await eventually(() => expect(announcesIn(file)).toBe(1));
	await rpc.prompt("/reload-now");
	await rpc.promptAndSettle("Anything new?");
	await rpc.close();
	expect(announcesIn(file)).toBe(1);
	expect(rpc.stderr).toBe("");
});

longTest("a run that ends while its parent compacts is announced afterwards, once", async () => {
	const { home, rpc, proceed, file } = await spawned();
	await rpc.promptAndSettle("Tell me a long story.");
	const compacted = rpc.send({ type: "compact" }).catch(() => undefined); // Too little to compact is not a failure here.
	proceed.open();
	await home.model.waitFor((request) => request.isChild).then((request) => request.ended);
	await compacted;
	await eventually(() => expect(announcesIn(file)).toBe(1));
	await rpc.promptAndSettle("Anything new?");
	await rpc.close();
	expect(announcesIn(file)).toBe(1);
});

test("a foreground result that is in the transcript is not announced, though its delivery was not recorded", async () => {
	const home = await openHome({
		script: dispatch({
			parent: ({ lastUserText, lastMessage }) =>
				lastUserText === "Go." && lastMessage?.role !== "tool"
					? toolCall("subagent", { task: "Look.", agent: "explorer" })
					: text("Noted."),
			child: [finalize("Seen.")],
		}),
	});
	const rpc = startRpc(home);
	await rpc.promptAndSettle("Go.");
	const file = ((await rpc.send({ type: "get_state" })).data as { sessionFile: string }).sessionFile;
	await rpc.close();
	inLedger(home, "UPDATE runs SET delivery = 'owed', delivered_at = NULL");
	const again = startRpc(home, { args: ["--session", file] });
	await eventually(() => expect(inLedger(home, "SELECT delivery FROM runs")).toEqual([{ delivery: "delivered" }]));
	await again.close();
	expect(announcesIn(file)).toBe(0);
});
