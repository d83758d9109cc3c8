import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import {
	type ExtensionContext,
	getAgentDir,
	hasTrustRequiringProjectResources,
	ProjectTrustStore,
	parseArgs,
	type SessionStartEvent,
	SettingsManager,
} from "@earendil-works/pi-coding-agent";

/**
 * Whether the user decided to trust the project. pi's own answer is not enough: pi also trusts a folder that had none of the
 * resources that it asks about when the session started, and agent files and pi-geon.json are not among them.
 *
 * The decision was made when a session of this process started in the folder (`decideTrust`). Later, it can only become
 * stricter: pi may withdraw its own answer. A folder in which no session started is not trusted, so changing a link has no
 * effect.
 */
export function isTrustedByDecision(ctx: ExtensionContext): boolean {
	if (!ctx.isProjectTrusted()) return false;
	if (trust().followsPlans) return true;
	const folder = realFolder(ctx.cwd);
	return folder !== undefined && trust().decided.get(folder) === true;
}

/**
 * Decides about the folder of a session. Every extension of this package calls this first when a session starts, before the
 * model can change anything in the folder. Only the first session of a folder can make it trusted in this process: files
 * that a branch brings later must not, and pi itself asks its user to restart after `/trust`. On a reload, pi even saves that
 * a folder is trusted if it has gained such resources.
 */
export function decideTrust({ reason }: Pick<SessionStartEvent, "reason">, ctx: ExtensionContext): void {
	const { decided, followsPlans } = trust();
	const folder = realFolder(ctx.cwd);
	if (followsPlans || folder === undefined || decided.get(folder) === false) return;
	if (decided.get(folder) === true) decided.set(folder, explicitDecision(folder) !== false);
	else decided.set(folder, ctx.isProjectTrusted() && (explicitDecision(folder) ?? piResolvedIt(reason, folder)));
}

/** In a host, each child session follows its parent's decision, which is in the plan and so in the session's settings. */
export function followPlans(): void {
	trust().followsPlans = true;
}

/**
 * The folder whose settings count. For a child in a tree, that is the checkout, so that its changes in the tree configure
 * nothing.
 */
export const projectFolder = (ctx: ExtensionContext): string =>
	trust().followsPlans ? ctx.sessionManager.getCwd() : ctx.cwd;

/** The answer of `--approve`, a saved decision, or the user's default, in pi's own order. */
function explicitDecision(folder: string): boolean | undefined {
	const { projectTrustOverride } = parseArgs(process.argv.slice(2));
	if (projectTrustOverride !== undefined) return projectTrustOverride;
	const saved = savedDecision(folder);
	if (saved !== undefined) return saved;
	if (!mayTrustByDefault()) return undefined;
	const settings = SettingsManager.create(folder, getAgentDir(), { projectTrusted: false });
	return settings.getDefaultProjectTrust() === "always" ? true : undefined;
}

/** Checked first, because pi takes a lock to read its settings, and most users have not set this one. */
function mayTrustByDefault(): boolean {
	try {
		return readFileSync(join(getAgentDir(), "settings.json"), "utf8").includes("always");
	} catch (error) {
		if (error instanceof Error && "code" in error) return false; // It does not exist, or may not be read.
		throw error;
	}
}

/** The decision in trust.json about the folder or one above it. Undefined if the file cannot be read. */
export function savedDecision(folder: string): boolean | undefined {
	const agentDir = getAgentDir();
	// Check first, because reading it takes a lock, and most users have saved nothing.
	if (!existsSync(join(agentDir, "trust.json"))) return undefined;
	try {
		return new ProjectTrustStore(agentDir).get(folder) ?? undefined;
	} catch (error) {
		if (error instanceof Error) return undefined;
		throw error;
	}
}

/**
 * Whether pi had to find out if the folder is trusted. It does so before it starts a session in a folder with such
 * resources: it asks an extension, then its user. If there is no user, and nothing is saved, the answer is no, and pi does
 * not call us. A reload keeps the earlier answer without asking, so it proves nothing about the resources at that time.
 */
const piResolvedIt = (reason: SessionStartEvent["reason"], folder: string): boolean =>
	reason !== "reload" && hasTrustRequiringProjectResources(folder);

function realFolder(cwd: string): string | undefined {
	try {
		return realpathSync(cwd);
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined; // It was removed, or may not be inspected.
		throw error;
	}
}

interface Trust {
	/** By the real path of the folder. */
	decided: Map<string, boolean>;
	followsPlans: boolean;
}

const TRUST = Symbol.for("pi-geon.trust.2");

/** Shared by all extensions of this package and their releases in the process, so that they agree, even after a reload. */
function trust(): Trust {
	const shared = globalThis as { [TRUST]?: Trust };
	shared[TRUST] ??= { decided: new Map(), followsPlans: false };
	return shared[TRUST];
}
