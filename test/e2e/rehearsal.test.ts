import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { text } from "../helpers/model-steps.ts";
import { ANY_PI, startRpc } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

/** A host that was started ahead has been ready. By then the parent has rehearsed too. */
const READY = "SELECT id FROM hosts WHERE pid IS NOT NULL";

test("what is rehearsed before the first delegation stores nothing, asks no model and runs no hook", async () => {
	const heard = join(tmpdir(), `pi-geon-rehearsal-${process.pid}`);
	const config = { subagents: { hooks: { start: ["touch", heard], stop: ["touch", heard] } } };
	const home = await openHome({ script: () => text("Hello."), config });
	const rpc = startRpc(home, { version: ANY_PI });
	await rpc.promptAndSettle("Hi.");
	await eventually(() => expect(inLedger(home, READY)).toHaveLength(1));
	expect([inLedger(home, "SELECT id FROM runs"), inLedger(home, "SELECT id FROM sessions")]).toEqual([[], []]);
	expect(home.model.requests).toHaveLength(1);
	expect(existsSync(heard)).toBe(false);
	await rpc.close();
});
