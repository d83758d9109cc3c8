import type { AgentCatalog } from "../../agents/discover.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Places } from "../../ledger/places.ts";
import type { ModelSource } from "../../plan/model.ts";
import type { HostProfile } from "../../supervise/profile.ts";
import type { ToolSurroundings } from "../tools-here.ts";

export interface ModelName {
	provider: string;
	id: string;
}

/** The models that pi knows here. */
export interface KnownModels {
	/** Those that have credentials. */
	available: readonly ModelName[];
	/** Whether pi knows such a model, with credentials or without. Undefined: cannot be told from here. */
	isKnown(name: string): boolean | undefined;
	/** What a run would make of a name, among those that have credentials, and what it would warn of. */
	resolve(name: string): Promise<{ model: ModelName; warnings?: string[] } | undefined>;
	/** The model of this session, which children inherit; undefined outside of pi. */
	ofSession?: ModelName | undefined;
	/** Tries where a child gets a model from: an extension is really loaded for it. Absent outside of pi. */
	trySource?(model: ModelName): Promise<ModelSource>;
}

/** The MCP servers of this pi. */
export interface KnownMcp {
	servers: readonly { name: string; tools: number }[];
	/** What is wrong with the files that configure them. */
	errors: readonly string[];
}

/** What the doctor is told of its surroundings: a pi session knows more than a command outside of pi. */
export interface DoctorSources {
	agentDir: string;
	cwd: string;
	homeDir: string;
	env: NodeJS.ProcessEnv;
	places: Places;
	sessionsRoot: string;
	/** Which pi: this one, or the one on the PATH; undefined if there is none. */
	pi: { version: string; where: string } | undefined;
	/** Whether pi loads this package. Undefined: cannot be told from here. */
	isLoaded: boolean | undefined;
	/** How a host is started; undefined without a pi. */
	profile: HostProfile | undefined;
	config: LoadedConfig;
	/** Without those of a project that is not trusted. */
	catalog: AgentCatalog;
	/** Whether the user decided to trust the project; undefined: no decision that we can see from here. */
	isTrusted: boolean | undefined;
	/** What decides on the tools of an agent. */
	tools: ToolSurroundings;
	/** Waits a little for servers that are connecting. Absent outside of pi; undefined on a pi without MCP. */
	mcp?(signal: AbortSignal): Promise<KnownMcp | undefined>;
	/** May take a while, outside of pi. A text says why they are not known. */
	models(signal: AbortSignal): Promise<KnownModels | string>;
}
