import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { type Step, text, toolCall } from "../helpers/model-steps.ts";
import { promptPi, somePi } from "../helpers/pi.ts";
import { stagedPackage } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { ARTICLE, makePdf } from "./documents.ts";
import { type LocalSite, useSites } from "./local-web.ts";

const openHome = useHome();
const openSite = useSites();

const TOOLS = ["web_search", "fetch_content", "get_search_content", "convert_content"];

/** A SearXNG that finds two documents of the same site. */
const openWeb = (): Promise<LocalSite> =>
	openSite((request, response) => {
		const path = request.url?.split("?")[0];
		const at = (name: string) => `http://127.0.0.1:${request.socket.localPort}${name}`;
		if (path === "/search") {
			const results = ["/page", "/paper.pdf"].map((name) => ({
				title: `Found ${name}`,
				url: at(name),
				content: "A snippet",
			}));
			response.end(JSON.stringify({ results }));
		} else if (path === "/page") response.setHeader("content-type", "text/html").end(ARTICLE);
		else if (path === "/long") response.end(`${"a line\n".repeat(4_000)}the last line`);
		else response.setHeader("content-type", "application/pdf").end(makePdf(["From the paper"]));
	});

describe.each(somePi(import.meta.url))("on pi %s", (version) => {
	test("a parent that has not asked for the tools pays nothing for them", async () => {
		const home = await openHome({ script: () => text("Done.") });
		await promptPi(home, "Go.", { version });
		const [request] = home.model.requests;
		expect(request?.tools).toEqual(expect.arrayContaining(["read", "subagent"]));
		expect(request?.tools.filter((name) => TOOLS.includes(name))).toEqual([]);
		expect(request?.systemText).not.toMatch(/web_search|fetch_content|get_search_content|convert_content/);
	});

	test("one that has asked has them, by the config or by name, and uses them", async () => {
		const site = await openWeb();
		const parent = [
			toolCall("fetch_content", { url: site.url("/page", "127.0.0.1") }),
			toolCall("fetch_content", { url: "file:///etc/passwd" }),
			text("Done."),
		];
		const config = { web: { enabled: true, allowPrivateNetwork: true } };
		const home = await openHome({ script: dispatch({ parent, child: [] }), config });
		const run = await promptPi(home, "Go.", { version });
		expect(home.model.requests[0]?.tools).toEqual(expect.arrayContaining(TOOLS));
		expect(run.toolResults).toMatchObject([
			{ isError: false, text: expect.stringContaining("magnetic field"), details: { ok: true } },
			{ isError: true, details: { ok: false, errors: [{ code: "CONTENT_FETCH_INVALID_URL" }] } },
		]);

		const named = await openHome({ script: () => text("Done.") });
		await promptPi(named, "Go.", { version, args: ["--tools", "read,web_search"] });
		expect(named.model.requests[0]?.tools.toSorted()).toEqual(["read", "web_search"]);
	});

	test("a researcher searches, reads and converts inside a child", async () => {
		const site = await openWeb();
		const work: Step[] = [
			toolCall("web_search", { query: "homing pigeons" }),
			toolCall("fetch_content", { urls: ["/page", "/paper.pdf", "/long"].map((path) => site.url(path, "127.0.0.1")) }),
			// Reads on as the result told.
			({ request }) => {
				const said = /get_search_content \{ responseId: "([\w-]+)", index: (\d+), offset: (\d+) \}/.exec(
					request.toolResults.at(-1)?.text ?? "",
				);
				return toolCall("get_search_content", {
					responseId: said?.[1],
					index: Number(said?.[2]),
					offset: Number(said?.[3]),
				});
			},
			toolCall("convert_content", { path: "notes.csv" }),
			finalize("They come home."),
		];
		const home = await openHome({
			script: dispatch({ parent: [delegateTo("researcher", "How do they find home?"), text("Done.")], child: work }),
			config: { web: { allowPrivateNetwork: true, providers: { searxng: { baseUrl: site.url("", "127.0.0.1") } } } },
			files: { "notes.csv": "bird,speed\nAda,90" },
		});
		const run = await promptPi(home, "Go.", { version });
		expect(delegations(run)[0]?.finalized).toMatchObject({ result: "They come home." });
		const child = home.model.requests.filter((request) => request.isChild);
		expect(child[0]?.tools.toSorted()).toEqual([...TOOLS, "subagent_finalize"].toSorted());
		const [search, fetched, kept, converted] = child.at(-1)?.toolResults ?? [];
		expect(search?.text).toContain("Found /page");
		expect(fetched?.text).toContain("From the paper");
		expect(kept?.text).toContain("the last line");
		expect(converted?.text).toContain("| Ada | 90 |");
	});
});

describe("a researcher", () => {
	test("whose user has not opened the private network is kept out of it", async () => {
		const site = await openWeb();
		const home = await openHome({
			script: dispatch({
				parent: [delegateTo("researcher", "Look around."), text("Done.")],
				child: [toolCall("fetch_content", { url: site.url("/page", "localhost") }), finalize("Nothing.")],
			}),
			files: { ".pi/pi-geon.json": "{ web: { allowPrivateNetwork: true } }" },
		});
		await promptPi(home, "Go.");
		const [result] = home.model.requests.filter((request) => request.isChild).at(-1)?.toolResults ?? [];
		expect(result?.text).toContain("PRIVATE_NETWORK_BLOCKED");
		expect(site.requests).toEqual([]);
	});

	test("is refused where the tools are not installed, with what to do", async () => {
		const home = await openHome({
			extension: join(stagedPackage(), "dist", "extension.js"),
			script: dispatch({
				parent: [delegateTo("researcher", "Look around."), text("Done.")],
				child: [finalize("Never.")],
			}),
		});
		const [details] = delegations(await promptPi(home, "Go."));
		expect(details?.error).toMatchObject({ code: "SUBAGENT_DISABLED", reason: "no_tools" });
		expect(details?.error?.message).toContain("Install what provides them");
	});
});
