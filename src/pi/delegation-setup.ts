import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { AgentDefinition } from "../agents/definition.ts";
import type { RunRecord } from "../ledger/records.ts";
import type { WriteConsent } from "../plan/tools.ts";
import type { AskForTree } from "../plan/tree.ts";
import type { Approval, ProjectAgentQuestion } from "../plan/trusted-definition.ts";
import type { SessionServices } from "./session-services.ts";

/** What the user decides before a run is admitted. */
export interface UserDecisions {
	approveProjectAgent: (ctx: ExtensionContext, question: ProjectAgentQuestion) => Promise<Approval>;
	/** Undefined: the turn or the session ended before the user answered. */
	askToWrite: (
		ctx: ExtensionContext,
		agent: AgentDefinition,
		tools: readonly string[],
	) => Promise<WriteConsent | undefined>;
	/** Why the kernel cannot enforce what a child may do. Not a decision of the user. */
	ringTrouble?: () => Promise<string | undefined>;
	/** Whether a tree can be made of a checkout. */
	askForTree?: AskForTree;
}

/** What all code needs that can admit a run: tools, commands, the inspector. */
export interface DelegationSetup {
	pi: ExtensionAPI;
	services: SessionServices;
	decisions: UserDecisions;
	/** A run was admitted that no call waits for, so the announcer has to attend to the session. */
	onSpawned: (ctx: ExtensionContext, record: RunRecord) => void;
}
