import { join } from "node:path";
import {
	CONFIG_DIR_NAME,
	type ExtensionCommandContext,
	type ExtensionContext,
	getAgentDir,
} from "@earendil-works/pi-coding-agent";
import type { AgentSource } from "../../agents/definition.ts";
import { parseAgent } from "../../agents/parse.ts";
import { inOneLine } from "../../collect/plain.ts";
import { projectFolder } from "../../config/project-trust.ts";
import { delegate } from "../../delegate.ts";
import { skipDelivery } from "../../ledger/deliveries.ts";
import { NAME, type RunId } from "../../run/ids.ts";
import { parentFacts } from "../parent-facts.ts";
import { editAgent, saveNew } from "./agent-editor.ts";
import type { CommandAnswer, Subcommand } from "./command.ts";
import type { RunSubcommandSetup } from "./run.ts";

export interface NewAgentSetup extends RunSubcommandSetup {
	/** A command waits for a run, which must not be announced in the meantime. */
	awaiting: { begin(id: RunId): void; end(id: RunId): void };
}

const WRITING_STATUS = "pi-geon-new";

/** The abilities of an agent, as a user chooses them. */
const ABILITIES: Readonly<Record<string, string>> = {
	"Read this codebase": "readonly: true\ntools: read, grep, find, ls, lsp",
	"Read this codebase and the web":
		"readonly: true\ntools: read, grep, find, ls, lsp, web_search, fetch_content, get_search_content, convert_content",
	"Change files, in a copy of this checkout":
		"isolation: worktree\ntools: read, bash, edit, write, grep, find, ls, lsp",
};

/** `/subagents new [description]`: makes an agent file with a form or the model, and shows it before saving it. */
export function newSubcommand(setup: NewAgentSetup): Subcommand {
	return {
		name: "new",
		takes: "[description]",
		does: "create an agent with a form, or let the model write it from your description",
		async run(args, ctx) {
			const description = args.trim();
			if (ctx.mode !== "tui") {
				return {
					problem: `/subagents new asks questions, so it works only in a terminal. Elsewhere, write the file: ${join(folderOf("user", ctx), "NAME.md")}, see docs/agents.md.`,
				};
			}
			const text = description === "" ? await filledIn(ctx) : await writtenByModel(description, ctx, setup);
			if (text === undefined || typeof text !== "string") return text;
			return savedAs(ctx, text);
		},
	};
}

function folderOf(source: Exclude<AgentSource, "builtin">, ctx: ExtensionContext): string {
	return source === "user" ? join(getAgentDir(), "agents") : join(projectFolder(ctx), CONFIG_DIR_NAME, "agents");
}

/** Asks for the required fields of a file. Undefined: the user changed their mind. */
async function filledIn(ctx: ExtensionContext): Promise<string | CommandAnswer> {
	const name = (await ctx.ui.input("Name of the agent, for example release-notes"))?.trim();
	if (name === undefined || name === "") return undefined;
	if (!NAME.test(name))
		return { problem: `"${inOneLine(name)}" cannot be a name: use letters, digits, ".", "_" and "-".` };
	const description = (await ctx.ui.input("What does it do, and when should the model use it?"))?.trim();
	if (description === undefined) return undefined;
	const ability = await ctx.ui.select("What may it do?", Object.keys(ABILITIES));
	if (ability === undefined) return undefined;
	return [
		"---",
		`name: ${name}`,
		`description: ${JSON.stringify(description)}`,
		ABILITIES[ability],
		"---",
		`You are ${name}. ${description}`,
		"",
		"Do only the delegated task. Do not delegate further. Say what is uncertain.",
		"",
	].join("\n");
}

const taskFor = (description: string): string => `Write the definition file of a subagent. Use no tools.

The user describes it like this:
${description}

The file is Markdown with YAML frontmatter between two lines of three dashes. Fields: name (letters, digits and dashes), description (in double quotes: the first sentence says what it does, the second when to use it), readonly: true unless it must change files, tools (comma-separated, only what it needs, of: read, grep, find, ls, lsp, web_search, fetch_content, get_search_content, convert_content, bash, edit, write), isolation: worktree if it changes files. Below the frontmatter comes its system prompt: its role, its bounds, how to work, how to answer.

Your result is the text of the file and nothing else.`;

/**
 * Lets the model write the file. The run is on record like any other, but its outcome goes to this screen instead of the
 * conversation.
 */
async function writtenByModel(
	description: string,
	ctx: ExtensionCommandContext,
	{ pi, services, decisions, awaiting, escapeStops, over }: NewAgentSetup,
): Promise<string | CommandAnswer> {
	ctx.ui.setStatus(WRITING_STATUS, "The model is writing the agent. Esc stops it.");
	let id: RunId | undefined;
	try {
		return await services.use(ctx, async (available): Promise<string | CommandAnswer> => {
			const result = await delegate(
				{
					task: taskFor(description),
					label: "a new agent",
					byUser: true,
					parentSession: ctx.sessionManager.getSessionId(),
					signal: over,
					onAdmitted({ run }) {
						id = run.id;
						awaiting.begin(id);
						void escapeStops.watch(id, ctx);
					},
				},
				parentFacts(pi, ctx, decisions),
				available,
			);
			if (id !== undefined) skipDelivery(available.ledger, id, available.ports.clock.now());
			const { finalized, error, results } = result.details;
			if (finalized?.status === "SUCCESS" && finalized.result) return withoutFence(finalized.result);
			return { problem: `No agent was written: ${inOneLine(results[0]?.error ?? error?.message ?? "no answer")}` };
		});
	} finally {
		if (id !== undefined) awaiting.end(id);
		if (!over.aborted) ctx.ui.setStatus(WRITING_STATUS, undefined);
	}
}

/** Models often put a file into a code block. */
const withoutFence = (text: string): string => /^\s*```\w*\n(.*)\n```\s*$/s.exec(text)?.[1] ?? text.trim();

/** Shows the file, asks where to save it, and never overwrites another one. */
async function savedAs(ctx: ExtensionContext, text: string): Promise<CommandAnswer> {
	const places = {
		[`For you, everywhere: ${inOneLine(folderOf("user", ctx))}`]: "user",
		[`For this project: ${inOneLine(folderOf("project", ctx))}`]: "project",
	} as const;
	const place = await ctx.ui.select("Where should it be saved?", Object.keys(places));
	const source = Object.entries(places).find(([words]) => words === place)?.[1];
	if (source === undefined) return undefined;
	const origin = { file: join(folderOf(source, ctx), "new.md"), source };
	const proposed = parseAgent(text, origin).agent?.name ?? "new";
	const file = join(folderOf(source, ctx), `${proposed}.md`);
	// The user may have given it another name.
	const fileOf = (edited: string) =>
		join(folderOf(source, ctx), `${parseAgent(edited, origin).agent?.name ?? proposed}.md`);
	const saved = await editAgent(ctx, { text, file, source }, (edited) => saveNew(fileOf(edited), edited));
	return saved === undefined
		? undefined
		: [`Your new agent is in ${inOneLine(saved)}. /subagents agents shows what it gets here.`];
}
