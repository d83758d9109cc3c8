import { homedir } from "node:os";
import { join } from "node:path";
import { CONFIG_DIR_NAME, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import { type AgentCatalog, discoverAgents } from "../agents/discover.ts";
import { redactorFor } from "../collect/redact/redactor-for.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import type { Services } from "../delegate.ts";
import { type Ledger, openLedger } from "../ledger/ledger.ts";
import { placesIn } from "../ledger/places.ts";
import { findSession } from "../ledger/sessions.ts";
import { sessionsRoot } from "../plan/session-place.ts";
import { currentProfile } from "../supervise/profile.ts";
import { Supervisor } from "../supervise/supervisor.ts";
import { packageRoot } from "./package-root.ts";
import { isTrustedByDecision } from "./trust.ts";

/** The agents of this moment: files may change while pi runs, and the next call should see it. */
export function agentsFor(ctx: ExtensionContext, { includeProject }: { includeProject: boolean }): AgentCatalog {
	return discoverAgents({
		cwd: ctx.cwd,
		builtinDir: join(packageRoot(), "agents"),
		userDir: join(getAgentDir(), "agents"),
		homeDir: homedir(),
		includeProject,
	});
}

export function configFor(ctx: ExtensionContext): LoadedConfig {
	const projectFile = join(ctx.cwd, CONFIG_DIR_NAME, "pi-geon.json");
	return loadConfig({
		userFile: join(getAgentDir(), "pi-geon.json"),
		...(isTrustedByDecision(ctx) && { projectFile }),
	});
}

/** What lives as long as the extension does in one pi session, opened at the first use. */
export class SessionServices {
	#opened: Promise<{ ledger: Ledger; supervisor: Supervisor; profile: string }> | undefined;
	#inUse = 0;
	#closing = false;

	/** Lends the services to one piece of work. They are closed when the session is over and the last has finished. */
	async use<Result>(ctx: ExtensionContext, work: (services: Services) => Promise<Result>): Promise<Result> {
		this.#inUse++;
		try {
			this.#opened ??= open();
			const opened = await this.#opened;
			return await work({
				...opened,
				config: configFor(ctx).config,
				catalog: agentsFor(ctx, { includeProject: true }),
				sessionsRoot: sessionsRoot(getAgentDir(), homedir()),
				findSession: (id) => findSession(opened.ledger, id),
				redactor: redactorFor({
					env: process.env,
					authFile: join(getAgentDir(), "auth.json"),
					modelsFile: join(getAgentDir(), "models.json"),
				}),
			});
		} finally {
			this.#inUse--;
			await this.#closeIfOver();
		}
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

async function open() {
	const places = placesIn(getAgentDir());
	const profile = currentProfile(join(packageRoot(), "dist", "host.js"));
	const ledger = await openLedger(places.ledger);
	return { ledger, supervisor: new Supervisor(ledger, places, profile), profile: profile.digest };
}
