import { mkdirSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { afterEach } from "vitest";
import { createRedactor } from "../../../src/collect/redact/redactor.ts";
import { type Places, placesIn } from "../../../src/ledger/places.ts";
import { NO_LOG } from "../../../src/log/log.ts";
import type { LiveEvents } from "../../../src/page/api/live.ts";
import { ROUTES } from "../../../src/page/api/routes.ts";
import { type RunningPage, servePage } from "../../../src/page/server/serve.ts";
import type { PageSources } from "../../../src/page/server/sources.ts";
import { socketWire } from "../../../src/processes/socket-wire.ts";

export interface Reply {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	body: string;
}

/** A page that is served, and what a client of it does. */
export interface APage {
	page: RunningPage;
	places: Places;
	/** A request as it is, with the right Host and token unless told otherwise. */
	ask(path: string, options?: Asked): Promise<Reply>;
	get<Value>(path: string): Promise<Value>;
	post<Value>(path: string, body?: object): Promise<Value>;
	/** Opens the stream of events. */
	events(query?: string): EventsClient;
}

export interface Asked {
	method?: string;
	headers?: Record<string, string | undefined>;
	body?: string;
}

export interface EventsClient {
	/** The next event of this name that fits, of those that were not waited for yet. */
	next<Name extends keyof LiveEvents>(
		name: Name,
		fits?: (data: LiveEvents[Name]) => boolean,
	): Promise<LiveEvents[Name]>;
	/** All that came so far. */
	readonly seen: { event: string; data: unknown }[];
	close(): void;
}

/** Call it once in a file: what a test opens is closed after it. */
export function usePages(): (folder: string, sources?: Partial<PageSources>) => Promise<APage> {
	const closing: (() => Promise<void> | void)[] = [];
	afterEach(async () => {
		for (const close of closing.splice(0).reverse()) await close();
	});
	return async (folder, sources = {}) => {
		const places = placesIn(join(folder, "agent"));
		const page = await servePage({ ...someSources(folder, places), ...sources }, { wire: socketWire });
		closing.push(() => page.close());
		return clientOf(page, places, (close) => closing.push(close));
	};
}

function someSources(folder: string, places: Places): PageSources {
	const bundle = join(folder, "bundle");
	mkdirSync(bundle, { recursive: true });
	for (const name of ["index.html", "page.js", "page.css"]) writeFileSync(join(bundle, name), `/* ${name} */`);
	return {
		version: "1.2.3",
		cwd: folder,
		places,
		treesRoot: join(folder, "subagent-worktrees"),
		bundle,
		redactor: createRedactor({ secrets: ["a-known-secret"], homeDir: "/home/nobody-here" }),
		log: NO_LOG,
		agents: async (cwd) => ({ cwd, isTrusted: true, agents: [], untrusted: 0, problems: [] }),
		ended: () => {},
		hasPools: () => false,
		lookAtPools: async () => [],
		doctor: async () => [],
		post: async () => ({ status: "error", error: "Not in this test." }),
	};
}

/** A client of a page that is served here, or by another process. */
export function clientOf(
	page: Pick<RunningPage, "port" | "token">,
	places: Places,
	onClose: (close: () => void) => void,
): APage {
	const authorization = `Bearer ${page.token}`;
	const ask = (path: string, { method = "GET", headers = {}, body }: Asked = {}): Promise<Reply> => {
		const { promise, resolve, reject } = Promise.withResolvers<Reply>();
		const all: Record<string, string | undefined> = {
			Authorization: authorization,
			...(method === "POST" && { "Content-Type": "application/json" }),
			...headers,
		};
		const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
		const request = httpRequest(
			{ host: "127.0.0.1", port: page.port, path, method, headers: sent, agent: false },
			(response) => {
				let text = "";
				response.setEncoding("utf8");
				response.on("data", (part: string) => (text += part));
				response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
			},
		);
		request.on("error", reject);
		request.end(body);
		return promise;
	};
	const json = async <Value>(reply: Promise<Reply>): Promise<Value> => JSON.parse((await reply).body) as Value;
	return {
		page: page as RunningPage,
		places,
		ask,
		get: (path) => json(ask(path)),
		post: (path, body = {}) => json(ask(path, { method: "POST", body: JSON.stringify(body) })),
		events(query = "") {
			const client = eventsOf(page.port, authorization, query);
			onClose(() => client.close());
			return client;
		},
	};
}

function eventsOf(port: number, authorization: string, query: string): EventsClient {
	const seen: { event: string; data: unknown }[] = [];
	const waiting = new Set<() => void>();
	let taken = 0;
	let isOver = false;
	const request = httpRequest(
		{ host: "127.0.0.1", port, path: `${ROUTES.events}${query}`, headers: { Authorization: authorization } },
		(response) => {
			let text = "";
			response.setEncoding("utf8");
			response.on("data", (part: string) => {
				text += part;
				const blocks = text.split("\n\n");
				text = blocks.pop() ?? "";
				for (const block of blocks) {
					const event = /^event: (.*)$/m.exec(block)?.[1];
					const data = [...block.matchAll(/^data: (.*)$/gm)].map(([, line]) => line).join("\n");
					if (event !== undefined) seen.push({ event, data: JSON.parse(data) });
				}
				for (const look of waiting) look();
			});
			response.on("close", over);
		},
	);
	const over = () => {
		isOver = true;
		for (const look of waiting) look();
	};
	request.on("error", over);
	request.end();
	return {
		seen,
		next: (name, fits = () => true) =>
			new Promise((resolve, reject) => {
				const look = () => {
					for (let index = taken; index < seen.length; index++) {
						const found = seen[index];
						if (found?.event !== name || !fits(found.data as never)) continue;
						taken = index + 1;
						waiting.delete(look);
						resolve(found.data as never);
						return;
					}
					if (!isOver) return;
					waiting.delete(look);
					reject(new Error(`The stream ended without ${name}: ${JSON.stringify(seen).slice(0, 2000)}`));
				};
				waiting.add(look);
				look();
			}),
		close: () => request.destroy(),
	};
}
