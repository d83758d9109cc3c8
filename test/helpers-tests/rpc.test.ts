import { describe, expect, test } from "vitest";
import { endless, hang, text } from "../helpers/model-steps.ts";
import { assistantMessages, somePi, startRpc, summarize } from "../helpers/pi.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { useHome } from "../helpers/use-home.ts";

const openHome = useHome();
const shared = useSharedPi();

describe.each(somePi(import.meta.url))("RPC on pi %s", (version) => {
	test("a prompt is answered, twice in one session", async () => {
		const home = await openHome({ extension: false, script: ({ turn }) => `answer ${turn}` });
		const rpc = startRpc(home, { version });
		expect(summarize(await rpc.promptAndSettle("first")).finalText).toBe("answer 0");
		expect(summarize(await rpc.promptAndSettle("second")).finalText).toBe("answer 1");
		await rpc.close();
		expect(await rpc.exited).toBe(0);
		expect(rpc.stderr).toBe("");
	});

	test("an abort ends a model that hangs", async () => {
		const home = await shared.openHome({ extension: false, pi: version, script: () => [text("let me"), hang()] });
		const rpc = await shared.newSession(home);
		await rpc.prompt("wait for ever");
		await rpc.waitForEvent((event) => event.type === "message_update");
		await rpc.send({ type: "abort" });
		expect(assistantMessages(rpc.events).at(-1)).toMatchObject({ stopReason: "aborted" });
		const [request] = home.model.requests;
		await request?.ended;
		expect(request?.aborted).toBe(true);
	});

	test("an abort ends a model that never stops talking", async () => {
		const home = await shared.openHome({
			extension: false,
			pi: version,
			script: () => endless({ bytesPerChunk: 16 * 1024 }),
		});
		const rpc = await shared.newSession(home);
		await rpc.prompt("talk");
		await rpc.waitForEvent((event) => event.type === "message_update");
		await rpc.send({ type: "abort" });
		await home.model.requests[0]?.ended;
		expect(home.model.requests[0]?.aborted).toBe(true);
	});

	test("a refused command and a pi that ended are errors", async () => {
		const home = await openHome({ extension: false, script: () => "" });
		const rpc = startRpc(home, { version });
		await expect(rpc.send({ type: "set_model", provider: "none", modelId: "none" })).rejects.toThrow(
			"refused set_model",
		);
		await rpc.close();
		await expect(rpc.waitForEvent((event) => event.type === "never")).rejects.toThrow("pi ended before");
	});
});
