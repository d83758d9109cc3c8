import type { ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { AutocompleteItem } from "@earendil-works/pi-tui";
import { inOneLine } from "../../collect/plain.ts";
import { type Services, spawn } from "../../delegate.ts";
import type { RunRecord } from "../../ledger/records.ts";
import { isRefusal } from "../../run/errors.ts";
import type { DelegationSetup } from "../delegation-setup.ts";
import { conversationToFork } from "../fork/conversation.ts";
import { copyConversation } from "../fork/copy.ts";
import { INSPECTOR_KEY } from "../inspector-key.ts";
import { parentFacts } from "../parent-facts.ts";
import { routeOf } from "../route.ts";
import { trustedAgentsFor } from "../session-services.ts";
import { type CommandAnswer, type Subcommand, usage } from "./command.ts";
import { endedLines } from "./ended-lines.ts";
import type { EscapeStops } from "./escape-stops.ts";
import { widthFor } from "./show.ts";
import { asWord, firstWord } from "./words.ts";

export interface RunSubcommandSetup extends DelegationSetup {
	openSession: () => ExtensionContext | undefined;
	/** Aborted when the session is over. */
	over: AbortSignal;
	escapeStops: EscapeStops;
}

/** `/subagents run <agent> <task>`: the user delegates, without the model. */
export function runSubcommand(setup: RunSubcommandSetup): Subcommand {
	const { services, openSession } = setup;
	const run: Subcommand = {
		name: "run",
		takes: "<agent> <task>",
		does: "start a run yourself; its report appears in this conversation but does not start a turn",
		async run(args, ctx) {
			const { word: agent, rest: task } = firstWord(args);
			if (agent === "") return misusedRun("Which agent?");
			if (task === "") return misusedRun("There is no task.");
			return services.use(ctx, (available) => started({ agent, task }, ctx, available));
		},
		async complete(typed) {
			const ctx = openSession();
			return ctx && !/\s\S|^\S+\s/.test(typed) ? agentItems(ctx, typed.trim()) : [];
		},
	};
	return run;

	async function started(
		request: { agent: string; task: string },
		ctx: ExtensionCommandContext,
		available: Services,
	): Promise<CommandAnswer> {
		const { pi, decisions, onSpawned, escapeStops, over } = setup;
		const route = routeOf(ctx);
		const record = await spawn(
			{
				...request,
				byUser: true,
				runTimeoutSeconds: available.config.agents.defaults.subagents.runTimeoutSeconds,
				...(route !== undefined && { route }),
				parentSession: ctx.sessionManager.getSessionId(),
			},
			{
				...parentFacts(pi, ctx, decisions),
				conversation: conversationToFork(ctx, async () => ({ copyConversation })),
			},
			available,
		);
		if (isRefusal(record)) return { problem: record.error.message };
		onSpawned(ctx, record);
		if (!ctx.hasUI) return waitAndPrint(record, { available, width: widthFor(ctx), over });
		if (ctx.mode === "tui") void escapeStops.watch(record.run.id, ctx);
		return startLines(record, ctx.mode === "tui");
	}

	function misusedRun(problem: string): CommandAnswer {
		return { problem: `${problem} Nothing was done. Usage: ${usage("subagents", run)}` };
	}
}

function startLines({ run, plan }: RunRecord, inTerminal: boolean): string[] {
	const how = inTerminal ? ` Esc in an empty prompt stops it, ${INSPECTOR_KEY} shows it.` : "";
	return [
		`Started ${inOneLine(plan.agent)} as run ${run.id}. Its report comes into this conversation.${how}`,
		...plan.warnings.map((warning) => `Warning: ${inOneLine(warning)}`),
	];
}

interface Awaiting {
	available: Services;
	width: number;
	over: AbortSignal;
}

/** Waits for the report and prints it, for a one-shot pi, which exits after the command. */
async function waitAndPrint(record: RunRecord, { available, width, over }: Awaiting): Promise<CommandAnswer> {
	const { supervisor, redactor, config, ports } = available;
	const { id } = record.run;
	const { drainSeconds } = config.headless;
	const enough = new AbortController();
	const cancel = ports.clock.after(drainSeconds * 1000, () => enough.abort());
	const ended = await supervisor.watch(id, { leave: AbortSignal.any([over, enough.signal]) }).finally(cancel);
	if (!ended) {
		return [
			`Run ${id} continues in the background. \`pi-geon info ${id}\` shows it. headless.drainSeconds: ${drainSeconds}.`,
		];
	}
	return endedLines(ended, { redactor, width });
}

/** The agents that may run here without asking the user. */
function agentItems(ctx: ExtensionContext, begun: string): AutocompleteItem[] {
	const usable = trustedAgentsFor(ctx).agents.filter(({ switchedOff }) => switchedOff === undefined);
	return usable
		.filter(({ name }) => name.startsWith(begun.replace(/^"/, "")))
		.map(({ name, description }) => ({
			value: `${asWord(name)} `,
			label: inOneLine(name),
			description: inOneLine(description),
		}));
}
