import { inOneLine } from "../../collect/plain.ts";
import type { Services } from "../../delegate.ts";
import { isInherit } from "../../plan/model-name.ts";
import { plural } from "../../run/amounts.ts";
import { formatDiagnostic } from "../../run/diagnostic.ts";
import { cutTo, type Fact, factsTo, wrapTo } from "./layout.ts";
import type { Reading } from "./words.ts";

type Catalog = Services["catalog"];
type Agent = Catalog["agents"][number];

export interface AgentsOptions extends Pick<Reading, "width"> {
	/** What a child of an agent would really get, where that is known. */
	toolsHere?: (agent: Agent) => string;
}

/** The agents there are: where each comes from, what it may do, and what is wrong with the files. */
export function agentsReport(catalog: Catalog, options: AgentsOptions): string[] {
	const { agents, overridden, diagnostics } = catalog;
	return [
		`${plural(agents.length, "agent")}${diagnostics.length > 0 ? `, ${plural(diagnostics.length, "problem")}` : ""}`,
		...agents.flatMap((agent) => [
			"",
			...about(
				agent,
				overridden.filter(({ name }) => name === agent.name),
				options,
			),
		]),
		...(diagnostics.length > 0 ? ["", "Problems:"] : []),
		...diagnostics.flatMap((problem) => wrapTo(options.width, `- ${inOneLine(formatDiagnostic(problem))}`)),
	];
}

function about(agent: Agent, hidden: Agent[], { width, toolsHere }: AgentsOptions): string[] {
	const { name, source, readonly, description, file, model, thinking } = agent;
	const head = [inOneLine(name), source, ...(readonly ? ["readonly"] : [])].join(" · ");
	const facts = [
		...(description.trim() === "" ? [] : [fact("about", description)]),
		fact("tools", toolsInWords(agent)),
		...(toolsHere ? [fact("gets here", toolsHere(agent))] : []),
		fact("model", model === undefined || isInherit(model) ? "the parent's" : model),
		...(thinking === undefined ? [] : [fact("thinking", thinking)]),
		...(agent.outputSchema === undefined ? [] : [fact("answer", "JSON, checked against its outputSchema")]),
		fact("file", file),
		...hidden.map((other) => fact("overrides", `${other.file} (${other.source})`)),
	];
	return [cutTo(width, head), ...factsTo(width - 2, facts).map((line) => `  ${line}`)];
}

function toolsInWords({ tools }: Agent): string {
	if (tools.kind === "only") return tools.names.length === 0 ? "none" : tools.names.join(", ");
	return tools.except.length === 0 ? "the parent's" : `the parent's, except ${tools.except.join(", ")}`;
}

const fact = (name: string, value: string): Fact => ({ name, value: inOneLine(value) });
