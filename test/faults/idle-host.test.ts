import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { delegateTo, finalize } from "../e2e/child.ts";
import { eventually, inLedger } from "../e2e/ledger-of.ts";
import { hostPids, killHosts } from "../helpers/hosts.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text } from "../helpers/model-steps.ts";
import { startRpc } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";

const openHome = useHome();

/** A home whose only host was killed while nobody needed it, and what that left. */
async function afterDeathOfAnIdleHost() {
	const home = await openHome({
		env: { PI_GEON_HOST_IDLE_MS: "60000", PI_GEON_LEASE_MS: "4000" },
		script: dispatch({
			parent: ({ lastMessage, lastUserText }) =>
				lastMessage?.role === "tool" || lastUserText !== "Go." ? text("Done.") : delegateTo("explorer", "Look."),
			child: [finalize("Seen.")],
		}),
	});
	const rpc = startRpc(home);
	await rpc.promptAndSettle("Go.");
	await rpc.close();
	killHosts(home);
	await eventually(() => expect(hostPids(home)).toEqual([]));
	const sockets = () => readdirSync(join(home.agentDir, "pi-geon", "hosts")).filter((name) => name.endsWith(".sock"));
	const [left = "none", ...others] = sockets();
	expect(others).toEqual([]);
	const leaseOver = () =>
		expect(inLedger(home, "SELECT 1 FROM hosts WHERE lease_until <= unixepoch('subsec') * 1000")).toHaveLength(1);
	await eventually(leaseOver);
	expect(sockets()).toEqual([left]);
	return { home, left, sockets };
}

test("what a host leaves when it is killed while idle is removed by the next pi on a session that delegated", async () => {
	const { home, sockets } = await afterDeathOfAnIdleHost();
	const next = startRpc(home, { args: ["-c"] });
	await eventually(() => expect(sockets()).toEqual([]));
	await eventually(() => expect(inLedger(home, "SELECT state FROM hosts")).toEqual([{ state: "gone" }]));
	await next.close();
});

test("nor that the host does which any other pi starts ahead when it is asked something", async () => {
	const { home, left, sockets } = await afterDeathOfAnIdleHost();
	const next = startRpc(home, { env: { PI_GEON_HOST_IDLE_MS: "300" } });
	await next.promptAndSettle("Hello.");
	await eventually(() => expect(sockets()).not.toContain(left));
	await next.close();
});
