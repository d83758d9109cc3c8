import type { AgentDefinition } from "../agents/definition.ts";
import type { AgentCatalog } from "../agents/discover.ts";
import { type Refusal, refuse } from "../run/errors.ts";

/** What a user is asked before an agent of a project that is not trusted runs. */
export interface ProjectAgentQuestion {
	agent: AgentDefinition;
	/** The tools that the agent would get. */
	tools: readonly string[];
	/** The user's or built-in agent that it replaces. */
	replaces?: AgentDefinition;
}

/** `nobody`: there is no user to ask. */
export type Approval = "approved" | "declined" | "nobody";

/** The definition that runs, and what the parent should know about it. */
export interface TrustedDefinition {
	agent: AgentDefinition;
	warnings: string[];
}

export interface TrustQuestion {
	/** The definition with precedence. */
	agent: AgentDefinition;
	catalog: AgentCatalog;
	projectTrusted: boolean;
	approve: (replaces: AgentDefinition | undefined) => Promise<Approval>;
}

/**
 * The definition that may run under a name. An untrusted project can neither bring one without the user's consent, nor keep
 * the user's own agent or a built-in from running where there is no user to ask.
 */
export async function trustedDefinition(question: TrustQuestion): Promise<TrustedDefinition | Refusal> {
	const { agent, catalog, projectTrusted } = question;
	if (agent.source !== "project") return { agent, warnings: [] };
	const replaced = catalog.overridden.find(({ name, source }) => name === agent.name && source !== "project");
	const approval = projectTrusted ? "approved" : await approvalOf(question, replaced);
	if (approval === "approved") return { agent, warnings: replaced ? [takesThePlace(agent, replaced)] : [] };
	if (approval === "nobody" && replaced) return { agent: replaced, warnings: [leftOut(agent, replaced)] };
	return refuse(
		"SUBAGENT_DISABLED",
		`${agent.name} comes from this project (${shownPath(agent.file)}), which is not trusted, and was not approved. ${REMEDY}`,
		"not_approved",
	);
}

/** A file that disables its agent cannot be approved to run. It must not disable the agent that it would replace either. */
const approvalOf = ({ agent, approve }: TrustQuestion, replaced: AgentDefinition | undefined): Promise<Approval> =>
	agent.switchedOff === undefined ? approve(replaced) : Promise.resolve("nobody");

const REMEDY = "Review the file, then trust the project with /trust and restart pi, or start pi with --approve.";

const takesThePlace = (agent: AgentDefinition, replaced: AgentDefinition): string =>
	`This project's ${agent.name} (${shownPath(agent.file)}) ran in place of ${whose(replaced)}.`;

const leftOut = (agent: AgentDefinition, replaced: AgentDefinition): string =>
	`This project's ${agent.name} (${shownPath(agent.file)}) was left out because the project is not trusted; ${whose(replaced)} ran instead. ${REMEDY}`;

const whose = ({ name, source, file }: AgentDefinition): string =>
	source === "builtin" ? `the built-in ${name}` : `your agent ${name} (${shownPath(file)})`;

/** The project chooses the name of the file: shown in one line, cut to its end, which names the file. */
function shownPath(file: string): string {
	const line = file.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
	return line.length <= LONGEST_PATH ? line : `…${line.slice(-LONGEST_PATH).toWellFormed()}`;
}

const LONGEST_PATH = 200;
