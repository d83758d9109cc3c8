import type { RequestListener } from "node:http";
import { expect, test } from "vitest";
import type { Examination, Finding } from "../../../src/operate/doctor/check.ts";
import { checkWebSearch } from "../../../src/operate/doctor/web-search.ts";
import { settingsWith } from "../../web/call-tool.ts";
import { useSites } from "../../web/local-web.ts";

const openSite = useSites();

/** What the doctor finds where web_search asks a SearXNG of the user's own. */
async function visit(handler: RequestListener, env: NodeJS.ProcessEnv = {}) {
	const site = await openSite(handler);
	const { providers } = settingsWith();
	const web = settingsWith({
		provider: "searxng",
		fallback: false,
		providers: { ...providers, searxng: { baseUrl: site.url("", "127.0.0.1") } },
	});
	const sources = { config: { config: { web } }, env };
	const examination = { sources, signal: new AbortController().signal } as unknown as Examination;
	const findings: Finding[] = [];
	for await (const finding of checkWebSearch.run(examination)) findings.push(finding);
	return { findings, requests: site.requests };
}

const results = (hits: object[]) => JSON.stringify({ results: hits });

test("the provider is really asked", async () => {
	const hit = { title: "Weather", url: "https://a.example/", content: "Rain." };
	const { findings, requests } = await visit((_, response) => response.end(results([hit])));
	expect(findings).toEqual([{ level: "pass", what: "web_search works: searxng answered" }]);
	expect(requests).toEqual([expect.stringContaining("q=weather")]);
});

test("the refusal of a provider is reported with its reason", async () => {
	const { findings } = await visit((_, response) => response.writeHead(403).end());
	expect(findings).toMatchObject([
		{ level: "warn", what: expect.stringMatching(/web_search gets no answer: searxng answered with HTTP 403/) },
	]);
});

test("no provider is asked while pi is to stay offline", async () => {
	const { findings, requests } = await visit((_, response) => response.end(), { PI_OFFLINE: "1" });
	expect(findings).toMatchObject([{ level: "pass", what: "web_search asks searxng" }]);
	expect(requests).toEqual([]);
});
