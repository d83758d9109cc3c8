import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import { type AgentCatalog, type AgentPlaces, discoverAgents } from "../agents/discover.ts";
import { projectFolders } from "../agents/project-folders.ts";
import { configFor } from "../config/config-for.ts";
import type { LoadedConfig } from "../config/load.ts";
import { packageRoot } from "../config/package-root.ts";
import { principalsOf } from "../config/principal-dirs.ts";
import { isTrustedByDecision } from "../config/project-trust.ts";
import type { Services } from "../delegate.ts";
import { openLedger } from "../ledger/ledger.ts";
import { placesIn } from "../ledger/places.ts";
import { findSession } from "../ledger/sessions.ts";
import type { LaunchPlan } from "../plan/plan.ts";
import { sessionsRoot } from "../plan/session-place.ts";
import { systemPorts as ports } from "../processes/system-ports.ts";
import { currentProfile } from "../supervise/current-profile.ts";
import { HostProfiles } from "../supervise/host-profiles.ts";
import { Hosts } from "../supervise/hosts.ts";
import { Supervisor } from "../supervise/supervisor.ts";
import { runTraces } from "../traces/run-traces.ts";
import { parentLog, parentRedactor } from "./parent-log.ts";
import { reportDiagnostics } from "./report-diagnostics.ts";
import { SameMoment } from "./same-moment.ts";

/** The agents at this moment: files may change while pi runs, and the next call should see that. */
export function agentsFor(
	ctx: ExtensionContext,
	{ includeProject }: Pick<AgentPlaces, "includeProject">,
): AgentCatalog {
	return discoverAgents({
		cwd: ctx.cwd,
		builtinDir: join(packageRoot(), "agents"),
		userDir: join(getAgentDir(), "agents"),
		homeDir: homedir(),
		includeProject,
	});
}

/** The agents without those of a project that the user has not decided to trust. */
export function trustedAgentsFor(ctx: ExtensionContext): AgentCatalog {
	// Checking trust reads several of pi's files; most projects have no agents to check.
	const hasOwn = projectFolders(ctx.cwd, homedir()).some(({ path }) => existsSync(path));
	const includeProject = hasOwn && isTrustedByDecision(ctx);
	return agentsFor(ctx, { includeProject });
}

/** The extension file that makes a pi process a host. */
export const hostEntry = (): string => join(packageRoot(), "dist", "host.js");

/** Whether anything was ever delegated here. A pi that never did opens and creates nothing. */
export function wasEverUsed(): boolean {
	try {
		return statSync(placesIn(getAgentDir()).ledger, { throwIfNoEntry: false }) !== undefined;
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		return true; // The folder may not be read, so a ledger may exist.
	}
}

/** The services that live as long as the extension in one pi session, opened at the first use. */
export class SessionServices {
	#opened: Promise<Opened> | undefined;
	#inUse = 0;
	#closing = false;
	#reported = false;

	/** Provides the services for one piece of work. They close when the session is over and the last work has finished. */
	async use<Result>(ctx: ExtensionContext, work: (services: Services) => Promise<Result>): Promise<Result> {
		this.#inUse++;
		try {
			this.#opened ??= openServices().catch((error) => {
				this.#opened = undefined; // Try again next time, because the problem may have been fixed.
				throw error;
			});
			const opened = await this.#opened;
			this.#reportSetAside(ctx, opened.ledger.setAside);
			return await work(servicesOf(ctx, opened));
		} finally {
			this.#inUse--;
			await this.#closeIfOver();
		}
	}

	get isClosing(): boolean {
		return this.#closing;
	}

	#reportSetAside(ctx: ExtensionContext, file: string | undefined): void {
		if (file === undefined || this.#reported) return;
		this.#reported = true;
		const damaged = {
			severity: "error" as const,
			file: placesIn(getAgentDir()).ledger,
			message: `The ledger was damaged. It is kept as ${file}, and a new one was made.`,
			remedy: "Results that had not been reported yet are no longer known; transcripts of subagents are untouched.",
		};
		reportDiagnostics(ctx, [damaged]);
	}

	async close(): Promise<void> {
		this.#closing = true;
		await this.#closeIfOver();
	}

	async #closeIfOver(): Promise<void> {
		if (!this.#closing || this.#inUse > 0 || !this.#opened) return;
		const opened = this.#opened;
		this.#opened = undefined;
		const { ledger, supervisor } = await opened;
		supervisor.dispose();
		ledger.close();
	}
}

/** The configuration at this moment. Problems are reported once, even if they appear while pi runs. */
function configNow(ctx: ExtensionContext): LoadedConfig {
	const loaded = configFor(ctx);
	if (loaded !== reportedConfig) reportDiagnostics(ctx, loaded.diagnostics);
	configReported(loaded);
	return loaded;
}

/** Remembers that the problems of this configuration were reported. */
export function configReported(loaded: LoadedConfig): void {
	reportedConfig = loaded;
}

let reportedConfig: LoadedConfig | undefined;

/** The services. Most of them are computed on demand, since much of the work needs only a few. */
function servicesOf(ctx: ExtensionContext, opened: Opened): Services {
	const agentDir = getAgentDir();
	const config = once(() => configNow(ctx).config);
	const catalog = once(() => agentsOfMoment(ctx, isTrustedByDecision(ctx) || "when asked"));
	return {
		...opened,
		agentDir,
		sessionsRoot: sessionsRoot(agentDir, homedir()),
		findSession: (id) => findSession(opened.ledger, id),
		get config() {
			return config();
		},
		get catalog() {
			return catalog();
		},
		redactor: parentRedactor(),
	};
}

function agentsOfMoment(ctx: ExtensionContext, includeProject: AgentPlaces["includeProject"]): AgentCatalog {
	const key = JSON.stringify([ctx.cwd, getAgentDir(), includeProject]);
	return catalogs.of(key, () => agentsFor(ctx, { includeProject }));
}

const catalogs = new SameMoment<AgentCatalog>();

function once<Value>(make: () => Value): () => Value {
	let made: { value: Value } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}

type Opened = Awaited<ReturnType<typeof openServices>>;

async function openServices() {
	const places = placesIn(getAgentDir());
	const profiles = new HostProfiles(currentProfile(hostEntry()), principalsOf(getAgentDir()));
	const ledger = await openLedger(places.ledger, { setAsideIfDamaged: true });
	ledger.redact = parentRedactor().redact;
	ledger.onUnreadable = ({ id, problem }) =>
		parentLog.error("a row of the ledger cannot be read", { runId: id, problem });
	const log = parentLog;
	const hosts = new Hosts({ ledger, places, profiles, ports, log });
	const traces = runTraces({ log, redactorFor: parentRedactor });
	const supervisor = new Supervisor({
		ledger,
		hosts,
		ports,
		log,
		onEndedHere: (runId) => traces?.ended(runId, ledger),
	});
	return { ledger, supervisor, profile: (plan: LaunchPlan) => profiles.for(plan).digest, log, ports };
}
