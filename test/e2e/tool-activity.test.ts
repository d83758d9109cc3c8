import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readLogs } from "../../src/log/read-logs.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { somePi, startRpc } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { useSites } from "../web/local-web.ts";
import { delegateTo, finalize } from "./child.ts";
import { command } from "./commands.ts";

const openHome = useHome();
const openSite = useSites();

const SECRET = "hunter2-in-the-address";
const SEARCH = "what we secretly work on";

describe.each(somePi(import.meta.url))("reference 004: on pi %s", (version) => {
	test("/toolkit logs and activity show web, convert and lsp activity, of the session and of its subagents", async () => {
		const site = await openSite((request, response) => {
			if (request.url?.startsWith("/missing")) response.writeHead(404).end();
			else if (request.url?.startsWith("/search")) response.end(JSON.stringify({ results: [] }));
			else response.setHeader("content-type", "text/html").end("<p>Words of the page.</p>");
		});
		const at = (path: string) => site.url(path, "127.0.0.1");
		const hover = toolCall("lsp", { action: "hover", file: "a.ts", query: "greeting" });
		const home = await openHome({
			files: {
				"tsconfig.json": "{}",
				"a.ts": "export const greeting = 1;\n",
				"notes.html": "<p>Words of the file.</p>",
			},
			config: {
				lsp: { enabled: true },
				web: { enabled: true, allowPrivateNetwork: true, providers: { searxng: { baseUrl: at("") } } },
			},
			script: dispatch({
				parent: [
					[hover, toolCall("fetch_content", { url: at(`/page?token=${SECRET}`) })],
					toolCall("fetch_content", { urls: [at(`/missing?token=${SECRET}`)] }),
					[delegateTo("explorer", "Look."), delegateTo("researcher", "Search.")],
					text("Done."),
				],
				child: ({ turn, firstUserText }) => {
					if (turn > 0) return finalize("Found.");
					if (firstUserText.includes("Look.")) return hover;
					return [toolCall("web_search", { query: SEARCH }), toolCall("convert_content", { path: "notes.html" })];
				},
			}),
		});
		const rpc = startRpc(home, { version });
		expect((await command(rpc, "/toolkit activity")).text).toBe("No run is open.");
		await rpc.promptAndSettle("Go.");

		const places = {
			parentLog: join(home.agentDir, "pi-geon", "parent.log"),
			hosts: join(home.agentDir, "pi-geon", "hosts"),
		};
		const uses = readLogs(places, { message: "used a tool" });
		const toldBy = (wanted: string) =>
			uses.filter(({ role }) => role === wanted).map(({ agent, facts: { ms, ...facts } }) => ({ agent, ...facts }));
		const hosts = [new URL(at("/")).host];
		expect(toldBy("parent")).toEqual(
			expect.arrayContaining([
				{ agent: undefined, tool: "lsp", action: "hover", file: "a.ts", symbol: "greeting" },
				{ agent: undefined, tool: "fetch_content", hosts },
				{ agent: undefined, tool: "fetch_content", hosts, failed: true, errors: [expect.any(String)] },
			]),
		);
		expect(toldBy("host")).toEqual(
			expect.arrayContaining([
				{ agent: "explorer", tool: "lsp", action: "hover", file: "a.ts", symbol: "greeting" },
				expect.objectContaining({ agent: "researcher", tool: "web_search", queryChars: [SEARCH.length] }),
				expect.objectContaining({ agent: "researcher", tool: "convert_content", file: "notes.html" }),
			]),
		);
		expect(uses).toHaveLength(6);
		const written = [readFileSync(places.parentLog, "utf8"), JSON.stringify(readLogs(places))].join("\n");
		for (const secret of [SECRET, SEARCH, "Words of"]) expect(written).not.toContain(secret);

		const logs = (await command(rpc, "/toolkit logs")).text.replace(/\s+/g, " ");
		expect(logs).toMatch(/explorer used a tool tool=lsp action=hover file=a\.ts symbol=greeting ms=\d+/);
		expect(logs).toMatch(/researcher used a tool tool=convert_content file=notes\.html/);
		const activity = (await command(rpc, "/toolkit activity")).text;
		expect(activity).toMatch(/^No run is open\.\n\nTools in this conversation and its subagents:$/m);
		expect(activity).toMatch(/^ {2}lsp +2 calls · last .* by explorer: hover a\.ts greeting$/m);
		expect(activity).toMatch(/^ {2}web_search +1 call · last .* by researcher$/m);
		expect(activity).toMatch(/^ {2}fetch_content +2 calls, 1 failed · last .* by this session: 127\.0\.0\.1:\d+$/m);
		expect(activity).toMatch(/^ {2}convert_content +1 call · last .* by researcher: notes\.html$/m);
	});
});
