import { type Context, Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { findRun, type RunRecord } from "../../ledger/records.ts";
import { isLevel } from "../../log/log.ts";
import { readLogs } from "../../log/read-logs.ts";
import { diffOf } from "../../operate/changes.ts";
import { costsOfDays } from "../../operate/costs.ts";
import { isDenial } from "../../operate/denial.ts";
import { exportRun } from "../../operate/export/export.ts";
import { transcriptOfRun } from "../../operate/messages.ts";
import type { Wire } from "../../ports/wire.ts";
import { isRunId } from "../../run/ids.ts";
import { messageOf } from "../../run/message-of.ts";
import type { EventsQuery } from "../api/live.ts";
import { ACTION_ROUTES, type ApiFailure, type Hello, type LedgerState, PROOF_ROUTE, ROUTES } from "../api/routes.ts";
import type { Exported, PageFormat } from "../api/runs.ts";
import type { LogQuery, Pools } from "../api/views.ts";
import { ACTIONS_OF_PAGE, type Act, type ActionName, jsonBody } from "./actions.ts";
import { PageEvents } from "./events.ts";
import { fromOwnPage, jsonOnly, notTooLarge, ofThisHost, provesToken, secured, withToken } from "./guard.ts";
import { Hub } from "./hub.ts";
import { LedgerAway, PageLedger } from "./page-ledger.ts";
import { numbersOfQuery, wordsOfQuery } from "./query.ts";
import { foldersCalled, overviewOf, runPage } from "./rows.ts";
import type { PageSources } from "./sources.ts";
import { serveFiles } from "./static-files.ts";
import { Transcripts } from "./transcripts.ts";

const USUAL_LOG_LINES = 200;
const MOST_LOG_LINES = 1000;
const USUAL_DAYS = 30;
const MOST_DAYS = 366;
const PAGE_FORMATS: readonly PageFormat[] = ["html", "md", "json"];
/** How often to send something, so that each side notices when the other is gone. */
const BEAT_MS = 15_000;

export interface PageApp {
	fetch: Hono["fetch"];
	/** Says goodbye to all pages. */
	end(): void;
}

/** All answers of the server. `port` is called for each request: it is known once the server listens. */
export function pageApp(sources: PageSources, at: { token: string; port: () => number; wire: Wire }): PageApp {
	const { redactor, places, log } = sources;
	const ledger = new PageLedger(places.ledger, redactor);
	const transcripts = new Transcripts(redactor);
	const onTrouble = (error: unknown) => log.error("the page could not look", { error });
	const hub = new Hub({ ledger, redactor, wire: at.wire, onTrouble });
	const leaving = new AbortController();
	const app = new Hono();

	app.use(secured, ofThisHost(at.port));
	serveFiles(app, sources.bundle);
	app.get(PROOF_ROUTE, fromOwnPage, provesToken(at.token));
	app.use("/api/*", withToken(at.token), fromOwnPage, jsonOnly, notTooLarge);

	app.get(ROUTES.hello, async (context) => {
		// Only the state matters here, even if there are no runs.
		await hub.look();
		const state = await ledger.read(() => ledger.state).catch(stateOf);
		const { version, cwd } = sources;
		const said: Hello = { version, cwd: redactor.redact(cwd), ledger: state, now: Date.now() };
		return context.json({ ...said, ...(sources.hasPools() && { hasPools: true }) } satisfies Hello);
	});
	app.get(ROUTES.overview, async (context) =>
		context.json(await ledger.read((opened) => overviewOf({ ledger: opened, redactor }))),
	);
	app.get(ROUTES.runs, async (context) => {
		const query = {
			...wordsOfQuery(context, ["phase", "status", "agent", "cwd", "session", "text"]),
			...numbersOfQuery(context, ["limit", "before"]),
		};
		return context.json(await ledger.read((opened) => runPage(query, { ledger: opened, redactor })));
	});
	app.get(ROUTES.run, async (context) =>
		context.json(
			await ledger.read((opened) =>
				hub.detail(
					runIn(context, (id) => findRun(opened, id)),
					opened,
				),
			),
		),
	);
	app.get(ROUTES.transcript, async (context) => {
		const query = numbersOfQuery(context, ["before", "after", "limit", "whole"]);
		return context.json(await transcripts.page(await transcriptIn(context), query));
	});
	app.get(ROUTES.turns, async (context) => context.json(await transcripts.turns(await transcriptIn(context))));
	app.get(ROUTES.diff, async (context) => {
		// Changes that a killed host left are brought home first, which writes.
		const diff = await ledger.write((opened) =>
			diffOf(
				runIn(context, (id) => findRun(opened, id)),
				{ ledger: opened, redactor, places },
			),
		);
		return isDenial(diff) ? denied(context, diff) : context.json(diff);
	});
	app.get(ROUTES.export, async (context) => {
		const { format } = wordsOfQuery(context, ["format"]);
		const known = PAGE_FORMATS.find((each) => each === format);
		if (!known) return context.json({ error: "Name a format: html, md or json." } satisfies ApiFailure, 400);
		return ledger.read(async (opened) => {
			const record = runIn(context, (id) => findRun(opened, id));
			const exported = await exportRun(record, known, { ledger: opened, redactor, places });
			if (isDenial(exported)) return denied(context, exported);
			return context.json({ name: `pi-geon-${record.run.id}.${known}`, text: exported.text } satisfies Exported);
		});
	});
	app.get(ROUTES.costs, async (context) => {
		const { days = USUAL_DAYS } = numbersOfQuery(context, ["days"]);
		const count = Math.min(Math.max(1, days), MOST_DAYS);
		return context.json(await ledger.read((opened) => costsOfDays(opened, count, { redactor })));
	});
	app.get(ROUTES.pools, async (context) =>
		context.json({ pools: redactor.redactValue(await sources.lookAtPools()) } satisfies Pools),
	);
	app.get(ROUTES.agents, async (context) =>
		context.json(redactor.redactValue(await sources.agents(await folderIn(context)))),
	);
	app.get(ROUTES.logs, (context) => {
		const { level, ...of }: LogQuery = wordsOfQuery(context, ["run", "agent", "level"]);
		const { limit = USUAL_LOG_LINES } = numbersOfQuery(context, ["limit"]);
		const filter = { ...of, ...(isLevel(level) && { level }), limit: Math.min(Math.max(1, limit), MOST_LOG_LINES) };
		return context.json({ lines: redactor.redactValue(readLogs(places, filter)) });
	});
	app.get(ROUTES.doctor, (context) =>
		streamSSE(context, async (stream) => {
			const left = new AbortController();
			stream.onAbort(() => left.abort());
			const send = (event: string, data: unknown) =>
				void stream.writeSSE({ event, data: JSON.stringify(redactor.redactValue(data)) });
			const results = await sources.doctor({
				signal: AbortSignal.any([left.signal, leaving.signal]),
				onChecking: (name) => send("checking", { name }),
				onResult: (result) => send("result", result),
			});
			const count = (level: string) => results.filter((result) => result.level === level).length;
			await stream.writeSSE({
				event: "done",
				data: JSON.stringify({ failed: count("fail"), warned: count("warn") }),
			});
		}),
	);
	app.get(ROUTES.events, (context) => {
		const query: EventsQuery = { ...wordsOfQuery(context, ["run"]), ...numbersOfQuery(context, ["after"]) };
		const { run, after } = query;
		if (run !== undefined && !isRunId(run)) throw new NoSuchThing("There is no such run.");
		return streamSSE(context, async (stream) => {
			const left = new AbortController();
			const beat = setInterval(() => void stream.write(": beat\n\n"), BEAT_MS);
			const bye = () => {
				void stream.writeSSE({ event: "bye", data: "{}" });
				left.abort();
			};
			leaving.signal.addEventListener("abort", bye, { once: true });
			stream.onAbort(() => left.abort());
			const send = (event: string, data: unknown) => stream.writeSSE({ event, data: JSON.stringify(data) });
			const looked = { ...(run !== undefined && { run }), ...(after !== undefined && { after }) };
			try {
				await new PageEvents({ hub, ledger, transcripts, send }, looked).tell(left.signal);
			} finally {
				clearInterval(beat);
				leaving.signal.removeEventListener("abort", bye);
			}
		});
	});
	for (const [name, path] of Object.entries(ACTION_ROUTES) as [ActionName, string][]) {
		app.post(path, async (context) => {
			const body = await jsonBody(context.req);
			if (!body) return context.json({ error: "The body must be a JSON object." } satisfies ApiFailure, 400);
			const act: Act = ACTIONS_OF_PAGE[name];
			const answer = await ledger.write((opened) =>
				act(
					runIn(context, (id) => findRun(opened, id)),
					body,
					{ sources, hub, ledger: opened },
				),
			);
			void hub.look();
			if ("badRequest" in answer) return context.json({ error: answer.badRequest } satisfies ApiFailure, 400);
			return isDenial(answer) ? denied(context, answer) : context.json(answer);
		});
	}
	app.notFound((context) => context.json({ error: "There is nothing here." } satisfies ApiFailure, 404));
	app.onError((error, context) => {
		if (error instanceof NoSuchThing) return context.json({ error: error.message } satisfies ApiFailure, 404);
		if (error instanceof LedgerAway) {
			const { state, message } = error.ledger;
			const shown = { state, ...(message !== undefined && { message: redactor.redact(message) }) };
			return context.json({ error: shown.message ?? NO_LEDGER, ledger: shown } satisfies ApiFailure, 503);
		}
		log.error("the page could not answer", { error });
		return context.json({ error: redactor.redact(messageOf(error)) } satisfies ApiFailure, 500);
	});

	async function transcriptIn(context: Context): Promise<string | undefined> {
		return ledger.read((opened) =>
			transcriptOfRun(
				runIn(context, (id) => findRun(opened, id)),
				opened,
			),
		);
	}

	/** Refuses folders without runs, except the one in which the server was started. */
	async function folderIn(context: Context): Promise<string> {
		const { cwd } = wordsOfQuery(context, ["cwd"]);
		if (cwd === undefined || cwd === sources.cwd || cwd === redactor.redact(sources.cwd)) return sources.cwd;
		const known = await ledger.read((opened) => foldersCalled(cwd, { ledger: opened, redactor }));
		if (known[0] === undefined) throw new NoSuchThing("There are no runs of that folder.");
		return known[0];
	}

	function denied(context: Context, denial: { status: string; error: string; conflicts?: string[] }) {
		const { status, error, conflicts } = denial;
		const failure: ApiFailure = redactor.redactValue({ error, ...(conflicts && { conflicts }) });
		return context.json(failure, status === "forbidden" ? 403 : 409);
	}

	return {
		fetch: app.fetch,
		end() {
			leaving.abort();
			hub.end();
			ledger.close();
		},
	};
}

const NO_LEDGER = "Nothing was delegated here yet.";

class NoSuchThing extends Error {
	override name = "NoSuchThing";
}

function stateOf(error: unknown): LedgerState {
	if (error instanceof LedgerAway) return error.ledger;
	throw error;
}

/** The run that the path names. */
function runIn(context: Context, find: (id: RunRecord["run"]["id"]) => RunRecord | undefined): RunRecord {
	const id = context.req.param("id") ?? "";
	const record = isRunId(id) ? find(id) : undefined;
	if (!record) throw new NoSuchThing("There is no such run, or its record cannot be read.");
	return record;
}
