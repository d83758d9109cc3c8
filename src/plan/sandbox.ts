import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { packageRoot } from "../config/package-root.ts";
import { principalDirs } from "../config/principal-dirs.ts";
import { isInside } from "../files/project-area.ts";
import { type Refusal, refuse } from "../run/errors.ts";
import type { WriteScope } from "../run/sandbox-report.ts";
import { type NetworkWish, networkFor } from "./network.ts";
import type { LaunchPlan, PlannedSandbox } from "./plan.ts";
import { onlyReads } from "./tools.ts";

export interface SandboxQuestion extends Pick<LaunchPlan, "cwd" | "tools"> {
	config: Config;
	agent: string;
	/** Which extension file brings which tool. */
	extensionOf?: Readonly<Record<string, string>> | undefined;
	/** Whether it writes in a tree of its own. */
	inTree?: boolean;
	network?: NetworkWish;
	/** Says why the kernel cannot enforce anything here, undefined if it can. Absent: not known here. */
	ringTrouble?: (() => Promise<string | undefined>) | undefined;
}

/** What the kernel must enforce for a run, or why the run may not start without it. */
export async function sandboxFor(question: SandboxQuestion): Promise<PlannedSandbox | Refusal> {
	const { config, cwd } = question;
	const { mode, sockets, env, hide } = config.subagents.sandbox;
	const write = writeScopeOf(question);
	const network = networkFor(question.network ?? { source: "user" }, config, write);
	if (mode === "require") {
		const refusal = refusedByRequire(question) ?? withoutRing(question.agent, await question.ringTrouble?.());
		if (refusal) return refusal;
	}
	return {
		mode,
		write,
		...(typeof network === "string" ? { network } : { network: "allowlist", hosts: [...network] }),
		sockets,
		env: [...env],
		hide: [...hide.map((path) => hiddenPath(path, cwd)), ...principalDirs(config)],
	};
}

/** Where a run with these tools may write. */
export function writeScopeOf({
	tools,
	config,
	inTree,
}: Pick<SandboxQuestion, "tools" | "config" | "inTree">): WriteScope {
	if (inTree) return "worktree";
	return tools.every((name) => onlyReads(name, config)) ? "none" : "checkout";
}

/** Why `subagents.sandbox.mode: require` keeps a run with these tools from starting, whatever the kernel can do. */
export function refusedByRequire(question: RequireQuestion): Refusal | undefined {
	const { agent, config, tools, extensionOf = {} } = question;
	if (config.subagents.sandbox.mode !== "require") return undefined;
	const because = "subagents.sandbox.mode is require in pi-geon.json";
	const foreign = tools.filter((name) => name in extensionOf && !isInside(packageRoot(), extensionOf[name] ?? ""));
	if (foreign.length > 0) {
		const message = `${agent} may not run: ${because}, and these tools of extensions cannot be put into a sandbox: ${foreign.join(", ")}.`;
		return refuse("SUBAGENT_DISABLED", message, "not_isolated");
	}
	if (writeScopeOf(question) === "checkout") {
		const message = `${agent} may not run: ${because}, and it would write in your checkout. Let it write in a tree of its own, or only read.`;
		return refuse("SUBAGENT_DISABLED", message, "not_isolated");
	}
	return undefined;
}

type RequireQuestion = Pick<SandboxQuestion, "agent" | "config" | "tools" | "extensionOf" | "inTree">;

const withoutRing = (agent: string, why: string | undefined): Refusal | undefined =>
	why === undefined ? undefined : refuse("SUBAGENT_DISABLED", unavailable(agent, why), "sandbox_unavailable");

export const unavailable = (agent: string, why: string): string =>
	`${agent} may not run: subagents.sandbox.mode is require in pi-geon.json, and the kernel cannot enforce it here. ${why}`;

export const noHostList = (agent: string, why: string): string =>
	`${agent} may not run: its network is a list of hosts, which cannot be enforced here: ${why}. Use off or on: subagents.sandbox.network in pi-geon.json, or \`network\` in the agent's file.`;

/** As written in the configuration: absolute, below the user's home, or below the working directory. */
export const hiddenPath = (written: string, cwd: string): string =>
	written.startsWith("~/") ? join(homedir(), written.slice(2)) : resolve(cwd, written);
