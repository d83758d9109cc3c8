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

test("a host killed while nobody needed it leaves nothing that the next pi on a session that delegated does not take away", async () => {
	const home = await openHome({
		env: { PI_GEON_HOST_IDLE_MS: "60000", PI_GEON_LEASE_MS: "500" },
		script: dispatch({
			parent: ({ lastMessage }) => (lastMessage?.role === "tool" ? text("Done.") : delegateTo("explorer", "Look.")),
			child: [finalize("Seen.")],
		}),
	});
	const rpc = startRpc(home);
	await rpc.promptAndSettle("Go.");
	await rpc.close();
	killHosts(home);
	await eventually(() => expect(hostPids(home)).toEqual([]));
	const sockets = () => readdirSync(join(home.agentDir, "pi-geon", "hosts")).filter((name) => name.endsWith(".sock"));
	expect(sockets()).toHaveLength(1);
	const leaseOver = () =>
		expect(inLedger(home, "SELECT 1 FROM hosts WHERE lease_until <= unixepoch('subsec') * 1000")).toHaveLength(1);
	await eventually(leaseOver);

	const next = startRpc(home, { args: ["-c"] });
	await eventually(() => expect(sockets()).toEqual([]));
	await eventually(() => expect(inLedger(home, "SELECT state FROM hosts")).toEqual([{ state: "gone" }]));
	await next.close();
});
