import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { RunRecord } from "../ledger/records.ts";
import type { Approval, ProjectAgentQuestion } from "../plan/trusted-definition.ts";
import type { SessionServices } from "./session-services.ts";

/** What everything works with that can admit a run: tools, commands, the inspector. */
export interface DelegationSetup {
	pi: ExtensionAPI;
	services: SessionServices;
	approveProjectAgent: (ctx: ExtensionContext, question: ProjectAgentQuestion) => Promise<Approval>;
	/** A run was admitted that nobody waits for: somebody should see to it. */
	onSpawned: (ctx: ExtensionContext, record: RunRecord) => void;
}
