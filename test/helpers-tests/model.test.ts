import { afterEach, expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import { type Script, type ScriptedModel, startModel } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { endless, hang } from "../helpers/model-steps.ts";

let model: ScriptedModel;
afterEach(() => model.close());

function ask(tools: string[], init: RequestInit = {}): Promise<Response> {
	const body = JSON.stringify({
		model: "any",
		messages: [{ role: "user", content: `from ${tools.join(",")}` }],
		tools: tools.map((name) => ({ type: "function", function: { name } })),
	});
	return fetch(`${model.baseUrl}/chat/completions`, { method: "POST", body, ...init });
}

const start = async (script: Script) => {
	model = await startModel(script);
};

test("a parent may delegate", async () => {
	await start(dispatch({ parent: ["I am the parent"], child: () => "I am a child" }));
	expect(await (await ask(["subagent", "read"])).text()).toContain("I am the parent");
	expect(await (await ask(["read"])).text()).toContain("I am a child");
});

test("the peak counts what was open together, not what came in total", async () => {
	const held = gate();
	await start(async ({ isChild }) => {
		if (isChild) await held.opened;
		return "done";
	});
	await (await ask(["subagent"])).text();
	const together = [ask(["read"]), ask(["read"]), ask(["read"])];
	await model.waitFor(() => model.requests.length === 4);
	held.open();
	await Promise.all(together.map(async (response) => (await response).text()));
	await (await ask(["subagent"])).text();
	await Promise.all(model.requests.map((request) => request.ended));
	expect(model.requests).toHaveLength(5);
	expect(model.peakConcurrency).toBe(3);
	expect(model.peakOf((request) => !request.isChild)).toBe(1);
});

test("a client that leaves is on record, even while the script waits for something else", async () => {
	await start(() => hang());
	const leave = new AbortController();
	const asked = ask(["read"], { signal: leave.signal });
	const request = await model.waitFor((arrived) => arrived.isChild);
	leave.abort();
	await expect(asked).rejects.toThrow("aborted");
	await request.ended;
	expect(request.aborted).toBe(true);
});

test("an endless answer goes no further than its reader", async () => {
	let written = 0;
	const counted = endless({ bytesPerChunk: 64 * 1024 });
	await start(() => (stage) => {
		const text = stage.wire.text.bind(stage.wire);
		stage.wire.text = (content) => {
			written += content.length;
			return text(content);
		};
		return counted(stage);
	});
	const leave = new AbortController();
	const response = await ask(["read"], { signal: leave.signal });
	await expect.poll(() => written).toBeGreaterThan(0);
	let before = -1;
	while (before !== written) {
		before = written;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	expect(response.ok).toBe(true);
	expect(written).toBeLessThan(64 * 1024 * 1024);
	leave.abort();
	await model.requests[0]?.ended;
	expect(model.requests[0]?.aborted).toBe(true);
});

test("waiting for what never comes says what came instead", async () => {
	await start(() => "fine");
	await (await ask(["subagent"])).text();
	await expect(model.waitFor((request) => request.isChild, 30)).rejects.toThrow(/parent turn 0.*from subagent/s);
});

test("a mistake in a script is an answer, not a hanging request", async () => {
	await start(() => {
		throw new Error("a typo in the test");
	});
	const response = await ask(["read"]);
	expect(response.status).toBe(400);
	expect(await response.text()).toContain("a typo in the test");
});
