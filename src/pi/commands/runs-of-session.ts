import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { AutocompleteItem } from "@earendil-works/pi-tui";
import { inOneLine } from "../../collect/plain.ts";
import type { Services } from "../../delegate.ts";
import type { RunRecord } from "../../ledger/records.ts";
import type { RunScope } from "../../ledger/run-list.ts";
import { isDenial } from "../../operate/denial.ts";
import { findRunNamed } from "../../operate/find-run.ts";
import { stateInWords, titleOf } from "../../operate/report/words.ts";
import { listRuns, type RunList, type RunSummary } from "../../operate/runs.ts";
import { type SessionServices, wasEverUsed } from "../session-services.ts";
import type { CommandAnswer } from "./command.ts";
import { asWord } from "./words.ts";

/** How many runs completion looks at: the open ones, and the latest. */
const RUNS_OFFERED = 50;

/** The runs that commands refer to: those of the session that is open in this pi. */
export class RunsOfSession {
	readonly #services: SessionServices;
	readonly #openSession: () => ExtensionContext | undefined;

	constructor(services: SessionServices, openSession: () => ExtensionContext | undefined) {
		this.#services = services;
		this.#openSession = openSession;
	}

	/** Does not open or create a ledger if pi has never delegated. */
	async use<Result>(
		ctx: ExtensionContext,
		work: (services: Services, scope: RunScope & { parentSession: string }) => Result | Promise<Result>,
		otherwise: Result,
	): Promise<Result> {
		if (!wasEverUsed()) return otherwise;
		const scope = { parentSession: ctx.sessionManager.getSessionId() };
		return this.#services.use(ctx, async (services) => work(services, scope));
	}

	/** Does something with the run that a user named, or returns why there is none. */
	withRun(
		ctx: ExtensionContext,
		name: string,
		work: (record: RunRecord, services: Services) => CommandAnswer | Promise<CommandAnswer>,
	): Promise<CommandAnswer> {
		return this.use<CommandAnswer>(
			ctx,
			(services, scope) => {
				const found = findRunNamed(services.ledger, name, scope);
				if (isDenial(found)) return { problem: `${found.error} \`/subagents list\` shows the runs of this session.` };
				return work(found, services);
			},
			{ problem: "There are no runs yet." },
		);
	}

	/** The names of runs that begin with the typed text: ids, labels, numbers, `last`. */
	async offer(typed: string, { openOnly = false } = {}): Promise<AutocompleteItem[]> {
		const ctx = this.#openSession();
		if (!ctx) return [];
		const { runs, count } = await this.use<RunList>(
			ctx,
			(services, scope) => listRuns({ ...scope, limit: RUNS_OFFERED }, services),
			{ runs: [], count: { total: 0, queued: 0, running: 0 } },
		);
		const begun = typed.trim().replace(/^"/, "");
		// Offer nothing for a complete number, even if others begin with it: `1` when there is a run #10.
		if (isNumberOfRun(begun, count.total)) return [];
		const named = withNames(openOnly ? runs.filter(({ phase }) => phase !== "ended") : runs, count.total);
		if (named.some(({ names }) => names.includes(begun))) return [];
		return named.flatMap((one) => runItems(one, begun));
	}
}

function isNumberOfRun(text: string, total: number): boolean {
	const [, digits] = /^#?(\d{1,9})$/.exec(text) ?? [];
	return digits !== undefined && Number(digits) > 0 && Number(digits) <= total;
}

interface NamedRun {
	run: RunSummary;
	/** In the order of the offers. */
	names: string[];
}

function withNames(runs: RunSummary[], latest: number): NamedRun[] {
	const last = runs.find(({ number }) => number === latest);
	return [
		...(last ? [{ run: last, names: ["last"] }] : []),
		...runs.map((run) => ({
			run,
			names: [run.runId, `#${run.number}`, ...(run.label === undefined ? [] : [inOneLine(run.label)])],
		})),
	];
}

/** Completes the typed text with the same kind of name: a label with a label, a number with a number. */
function runItems({ run, names }: NamedRun, begun: string): AutocompleteItem[] {
	const value = names.find((name) => name.startsWith(begun));
	if (value === undefined) return [];
	const description = `#${run.number} ${inOneLine(run.agent)} · ${stateInWords(run)} · ${titleOf(run).slice(0, 60)}`;
	return [{ value: asWord(value), label: value, description }];
}
