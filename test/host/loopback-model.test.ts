import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loopbackModel } from "../../src/host/loopback-model.ts";
import { recordedAnswer } from "../../src/host/recorded-answers.ts";

const API = "openai-completions";
const FAR_AWAY = "https://api.example.com/v1/chat/completions";

beforeEach(() => {
	for (const name of Object.keys(process.env)) if (/_proxy$/i.test(name)) vi.stubEnv(name, undefined);
});

afterEach(() => {
	vi.restoreAllMocks();
	vi.unstubAllEnvs();
});

/** Where requests really went. */
function requests(): URL[] {
	const made = vi.mocked(fetch).mock.calls;
	return made.map(([url]) => new URL(String(url)));
}

test("a request to anywhere is answered over a connection of this machine to itself", async () => {
	vi.spyOn(globalThis, "fetch");
	const model = await loopbackModel(API);
	const answer = await model.fetch(FAR_AWAY, { method: "POST", body: "{}" });
	expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
	expect(await answer.text()).toBe(await recordedAnswer(API).text());
	expect(requests().map(({ hostname }) => hostname)).toEqual(["127.0.0.1"]);
	model.close();
});

test("a refusal arrives as one", async () => {
	const model = await loopbackModel("google-generative-ai");
	const answer = await model.fetch(FAR_AWAY);
	expect([answer.status, await answer.json()]).toEqual([400, { error: expect.anything() }]);
	model.close();
});

test("a request can be aborted", async () => {
	const model = await loopbackModel(API);
	await expect(model.fetch(FAR_AWAY, { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
	model.close();
});

test("once it is closed, no connection is left and none can be made", async () => {
	vi.spyOn(globalThis, "fetch");
	const model = await loopbackModel(API);
	await (await model.fetch(FAR_AWAY)).text();
	const port = Number(requests()[0]?.port);
	const socket = connect(port, "127.0.0.1");
	await once(socket, "connect");
	const isCut = once(socket.resume(), "close");
	model.close();
	await isCut;
	await expect(model.fetch(FAR_AWAY)).rejects.toThrow();
});

test.each(["HTTP_PROXY", "https_proxy", "ALL_PROXY"])(
	"with %s set, the same answer is given without a request",
	async (name) => {
		vi.stubEnv(name, "http://proxy.example.com:3128");
		vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("No request was to be made."));
		const model = await loopbackModel(API);
		expect(await (await model.fetch(FAR_AWAY)).text()).toBe(await recordedAnswer(API).text());
		expect(requests()).toEqual([]);
		model.close();
	},
);

test.each([
	["HTTPS_PROXY", ""],
	["NO_PROXY", "localhost"],
])("%s=%s names no proxy", async (name, value) => {
	vi.stubEnv(name, value);
	vi.spyOn(globalThis, "fetch");
	const model = await loopbackModel(API);
	await (await model.fetch(FAR_AWAY)).text();
	expect(requests()).toHaveLength(1);
	model.close();
});
