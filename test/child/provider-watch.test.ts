import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ProviderWatch } from "../../src/child/provider-watch.ts";

/** Answers with the status that is asked for. */
const server = createServer(({ url = "" }, response) => response.writeHead(Number(url.slice(1))).end());
let address = "";
beforeAll(async () => {
	await once(server.listen(0, "127.0.0.1"), "listening");
	address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

type Options = { fetch?: typeof fetch };
/** A runtime whose models fetch what they are called. */
const runtime = {
	streamSimple: (model: { id: string }, _context: unknown, options: Options) => (options.fetch ?? fetch)(model.id),
};

async function asked(url: string, { api = "openai-completions", retried = false } = {}): Promise<ProviderWatch> {
	const watch = new ProviderWatch();
	const models = watch.wrap(runtime as never) as unknown as typeof runtime;
	await Promise.resolve(models.streamSimple({ id: url, api } as never, {}, {})).catch(() => {});
	if (retried) watch.retried();
	return watch;
}

test.each([401, 402, 403, 404, 408, 425, 429, 500, 503, 529])(
	"after HTTP %i the model cannot be used",
	async (status) => {
		expect((await asked(`${address}/${status}`)).whyUnusable).toBe(status);
	},
);

test.each([400, 409, 413, 422])("HTTP %i would meet the next model too, whatever pi made of it", async (status) => {
	expect((await asked(`${address}/${status}`)).whyUnusable).toBeUndefined();
	expect((await asked(`${address}/${status}`, { retried: true })).whyUnusable).toBeUndefined();
});

test("a provider that does not answer at all cannot be used", async () => {
	expect((await asked("http://127.0.0.1:1/")).whyUnusable).toBe("no_answer");
});

test.each([
	["an answer that began well", "openai-completions"],
	["an answer that nobody could see", "google-generative-ai"],
])("an error within %s counts if pi has retried it", async (_what, api) => {
	expect((await asked(`${address}/200`, { api })).whyUnusable).toBeUndefined();
	const watch = await asked(`${address}/200`, { api, retried: true });
	expect(watch.whyUnusable).toBe("failed");
	watch.changedModel();
	expect(watch.whyUnusable).toBeUndefined();
});
