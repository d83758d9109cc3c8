import { inOneLine } from "../../collect/plain.ts";
import type { Services } from "../../delegate.ts";
import { networkInWords } from "../../plan/network.ts";
import { plural } from "../../run/amounts.ts";
import { formatDiagnostic } from "../../run/diagnostic.ts";
import type { ModelHere } from "../model-here.ts";
import type { Agent, ToolsHere } from "../tools-here.ts";
import type { Writing } from "../write-consents.ts";
import { cutTo, type Fact, factsTo, wrapTo } from "./layout.ts";
import type { Reading } from "./words.ts";

type Catalog = Services["catalog"];

export interface AgentsOptions extends Pick<Reading, "width"> {
	/** What a child of an agent gets. */
	toolsHere: (agent: Agent) => ToolsHere;
	/** The model it works with. */
	modelHere: (agent: Agent) => ModelHere;
	/** A note beside the tools, such as that the agent has to be approved first. */
	noteOn?: (agent: Agent) => string | undefined;
	/** The command that revokes the user's consent. */
	howToForget: (agent: Agent) => string;
}

/** All agents: where each comes from, what it gets here and what it does not, and the problems of the files. */
export function agentsReport(catalog: Catalog, options: AgentsOptions): string[] {
	const { agents, overridden, diagnostics } = catalog;
	return [
		`${plural(agents.length, "agent")}${diagnostics.length > 0 ? `, ${plural(diagnostics.length, "problem")}` : ""}`,
		...agents.flatMap((agent) => [
			"",
			...agentReport(
				agent,
				overridden.filter(({ name }) => name === agent.name),
				options,
			),
		]),
		...(diagnostics.length > 0 ? ["", "Problems:"] : []),
		...diagnostics.flatMap((problem) => wrapTo(options.width, `- ${inOneLine(formatDiagnostic(problem))}`)),
	];
}

/** The report on one agent. */
export function agentReport(agent: Agent, hidden: Agent[], options: AgentsOptions): string[] {
	const { name, source, readonly } = agent;
	const { off } = options.toolsHere(agent);
	const head = [inOneLine(name), source, ...(readonly ? ["readonly"] : []), ...(off === undefined ? [] : ["off"])].join(
		" · ",
	);
	const facts = agentFacts(agent, hidden, options);
	return [cutTo(options.width, head), ...factsTo(options.width - 2, facts).map((line) => `  ${line}`)];
}

/** What is known about one agent, as facts in their order. */
export function agentFacts(agent: Agent, hidden: Agent[], options: Omit<AgentsOptions, "width">): Fact[] {
	const { description, file, thinking } = agent;
	const { off } = options.toolsHere(agent);
	const model = options.modelHere(agent);
	return [
		...(description.trim() === "" ? [] : [oneFact("about", description)]),
		oneFact("tools", toolsInWords(agent)),
		...(off === undefined ? factsHere(agent, options) : [oneFact("off", off)]),
		oneFact("model", model.words),
		...(model.fallbacks.length === 0 ? [] : [oneFact("fallback", model.fallbacks.join(", then "))]),
		...model.warnings.map((warning) => oneFact("warning", warning)),
		...(thinking === undefined ? [] : [oneFact("thinking", thinking)]),
		...(agent.context === "fork" ? [oneFact("context", "starts from a copy of the conversation")] : []),
		...otherFacts(agent),
		...(agent.outputSchema === undefined ? [] : [oneFact("answer", "JSON, checked against its outputSchema")]),
		oneFact("file", file),
		...hidden.map((other) => oneFact("overrides", `${other.file} (${other.source})`)),
	];
}

/** The other fields that a file sets: one fact each, and one for all limits. */
function otherFacts({ pool, network, isolation, ask, limits }: Agent): Fact[] {
	const limited = Object.entries(limits).map(([name, value]) => `${name} ${value}`);
	return [
		...(pool === undefined ? [] : [oneFact("pool", pool)]),
		...(network === undefined ? [] : [oneFact("network", networkInWords(network))]),
		...(isolation === "shared" ? [] : [oneFact("isolation", isolation)]),
		...(ask ? [oneFact("ask", "may ask you while it works")] : []),
		...(limited.length === 0 ? [] : [oneFact("limits", limited.join(", "))]),
	];
}

function toolsInWords({ tools }: Agent): string {
	if (tools.kind === "only") return tools.names.length === 0 ? "none" : tools.names.join(", ");
	return tools.except.length === 0 ? "the parent's" : `the parent's, except ${tools.except.join(", ")}`;
}

function factsHere(agent: Agent, { toolsHere, noteOn, howToForget }: Omit<AgentsOptions, "width">): Fact[] {
	const here = toolsHere(agent);
	const note = noteOn?.(agent);
	const asks = here.asksFor.length > 0 ? [oneFact("asks", "you, in pi, whether it may write in your checkout")] : [];
	const mayWrite =
		here.writing === undefined ? [] : [oneFact("may write", writingInWords(here.writing, howToForget(agent)))];
	return [
		oneFact("gets here", `${getsInWords(here)}${note === undefined ? "" : ` (${note})`}`),
		...(here.skills.length === 0 ? [] : [oneFact("skills", here.skills.join(", "))]),
		...here.warnings.map((warning) => oneFact("warning", warning)),
		...asks,
		...mayWrite,
	];
}

function getsInWords({ tools, refused, unsure, inherits }: ToolsHere): string {
	if (refused !== undefined) return `nothing: ${refused}`;
	if (tools.length === 0) return "none, so it cannot run";
	const sure = tools.filter((name) => !unsure.includes(name)).join(", ");
	const ifThere = unsure.length === 0 ? "" : `${sure === "" ? "" : ", and "}if pi has them: ${unsure.join(", ")}`;
	return `${sure}${ifThere}${inherits ? " (with the tools that pi switches on by itself)" : ""}`;
}

/** The user's answer about an agent that wants to write. */
export function writingInWords(writing: Writing, howToForget: string): string {
	if (writing === "refused") return "no: you said so in this session";
	if (writing === "session") return `in this session. Take it back with ${howToForget}`;
	return `always, since ${dayOf(writing.always)}, until its file changes. Take it back with ${howToForget}`;
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

const oneFact = (name: string, value: string): Fact => ({ name, value: inOneLine(value) });
