import type { AgentCatalog } from "../../agents/discover.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Places } from "../../ledger/places.ts";
import type { ModelSource } from "../../plan/model.ts";
import type { HostProfile } from "../../supervise/profile.ts";
import type { Agent, ToolSurroundings } from "../tools-here.ts";

export interface ModelName {
	provider: string;
	id: string;
}

/** The models that pi knows here. */
export interface KnownModels {
	/** The models that have credentials. */
	available: readonly ModelName[];
	/** Whether pi knows such a model, with or without credentials. Undefined: unknown here. */
	isKnown(name: string): boolean | undefined;
	/** The model that a run would choose for a name, among those with credentials, and its warnings. */
	resolve(name: string): Promise<{ model: ModelName; warnings?: string[] } | undefined>;
	/** The model of this session, which children inherit; undefined outside of pi. */
	ofSession?: ModelName | undefined;
	/** Tests where a child gets a model from, which really loads an extension. Absent outside pi. */
	trySource?(model: ModelName): Promise<ModelSource>;
}

/** The MCP servers of this pi. */
export interface KnownMcp {
	servers: readonly { name: string; tools: number }[];
	/** Problems of the files that configure them. */
	errors: readonly string[];
}

/** The doctor's facts about its surroundings: a pi session knows more than a command outside pi. */
export interface DoctorSources {
	agentDir: string;
	cwd: string;
	homeDir: string;
	env: NodeJS.ProcessEnv;
	places: Places;
	sessionsRoot: string;
	/** Which pi: this one, or the one on the PATH; undefined if there is none. */
	pi: { version: string; where: string } | undefined;
	/** Whether pi loads this package. Undefined: unknown here. */
	isLoaded: boolean | undefined;
	/** How to start a host; undefined without a pi. */
	profile: HostProfile | undefined;
	config: LoadedConfig;
	/** Without the agents of an untrusted project. */
	catalog: AgentCatalog;
	/** Whether the user decided to trust the project; undefined: no decision is visible from here. */
	isTrusted: boolean | undefined;
	/** What decides on the tools of an agent. */
	tools: ToolSurroundings;
	/** Waits a little for servers that are connecting. Absent outside of pi; undefined on a pi without MCP. */
	mcp?(signal: AbortSignal): Promise<KnownMcp | undefined>;
	/** The warnings about the thinking level of an agent, as its runs would have them. Absent outside pi. */
	thinking?(agent: Agent): Promise<string[]>;
	/** May take a while outside pi. A text says why they are unknown. */
	models(signal: AbortSignal): Promise<KnownModels | string>;
}
