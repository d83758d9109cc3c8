import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import type { SelectItem } from "@earendil-works/pi-tui";
import type { AgentDefinition } from "../../agents/definition.ts";
import type { AgentCatalog } from "../../agents/discover.ts";
import { inOneLine } from "../../collect/plain.ts";
import { ownSetting } from "../../config/settings-list.ts";
import { writeWhole } from "../../files/write-whole.ts";
import { type AgentsOptions, agentReport } from "../../operate/report/agents.ts";
import { messageOf } from "../../run/message-of.ts";
import { wrapIndented } from "../view/fitted.ts";
import { editAgent, saveNew } from "./agent-editor.ts";
import type { CommandAnswer } from "./command.ts";
import { chooseFrom } from "./list-dialog.ts";
import { userConfigFile, writeUserSetting } from "./settings.ts";

/** The agents of this moment, and what each gets. */
export interface AgentsLook {
	catalog: AgentCatalog;
	options: AgentsOptions;
}

const EDIT = "Edit its file";
const COPY = "Copy it to your agents, and edit the copy";
const DISABLE = "Disable it, here and everywhere";
const ENABLE = "Enable it again";
const LEAVE = "Back";

/** Every agent, and what can be done with it, until the user leaves the list. */
export async function browseAgents(ctx: ExtensionContext, look: () => Promise<AgentsLook>): Promise<CommandAnswer> {
	let chosen: string | undefined;
	for (;;) {
		const { catalog, options } = await look();
		const rows = catalog.agents.map((agent) => agentRow(agent, options));
		chosen = await chooseFrom(ctx, "Agents, and what each gets here", rows, chosen);
		const agent = catalog.agents.find(({ name }) => name === chosen);
		if (!agent) return undefined;
		const hidden = catalog.overridden.filter(({ name }) => name === agent.name);
		const report = agentReport(agent, hidden, { ...options, width: options.width - 2 });
		const lines = report.flatMap((line) => wrapIndented(line, options.width));
		const action = await ctx.ui.select(lines.join("\n"), choicesFor(agent));
		if (action !== undefined && action !== LEAVE) await act(ctx, agent, action);
	}
}

function agentRow(agent: AgentDefinition, options: AgentsOptions): SelectItem {
	const { off } = options.toolsHere(agent);
	const facts = [agent.source, ...(off === undefined ? [] : ["off"]), inOneLine(agent.description)];
	return { value: agent.name, label: inOneLine(agent.name), description: facts.join(" · ") };
}

function choicesFor({ name, source }: AgentDefinition): string[] {
	return [
		...(source === "builtin" ? [] : [EDIT]),
		...(source === "user" ? [] : [COPY]),
		disabledByUser().includes(name) ? ENABLE : DISABLE,
		LEAVE,
	];
}

function disabledByUser(): string[] {
	const names = ownSetting(userConfigFile(), "subagents.disabled");
	return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

async function act(ctx: ExtensionContext, agent: AgentDefinition, action: string): Promise<void> {
	const name = inOneLine(agent.name);
	try {
		switch (action) {
			case EDIT: {
				const { file, source } = agent;
				await editAgent(ctx, { text: readFileSync(file, "utf8"), file, source }, (text) => {
					writeWhole(file, text);
					return { saved: file };
				});
				break;
			}
			case COPY: {
				const file = join(getAgentDir(), "agents", `${agent.name}.md`);
				const text = readFileSync(agent.file, "utf8");
				await editAgent(ctx, { text, file, source: "user" }, (edited) => saveNew(file, edited));
				break;
			}
			case DISABLE:
				writeUserSetting(["subagents", "disabled"], [...disabledByUser(), agent.name]);
				ctx.ui.notify(`${name} is disabled: subagents.disabled in pi-geon.json.`, "info");
				break;
			case ENABLE:
				writeUserSetting(
					["subagents", "disabled"],
					disabledByUser().filter((other) => other !== agent.name),
				);
				ctx.ui.notify(`${name} is no longer disabled in your pi-geon.json.`, "info");
				break;
		}
	} catch (error) {
		ctx.ui.notify(`Nothing was changed: ${inOneLine(messageOf(error))}`, "error");
	}
}
