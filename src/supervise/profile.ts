import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { POOL_PREFIX } from "../ledger/profile-key.ts";

/** Everything about a process that cannot be changed once it runs. A run needs a host of its profile. */
export interface HostProfile {
	/** Names the profile in the ledger without revealing the environment. */
	digest: string;
	/** How to start the same pi again: the executable, and its script if it is not a compiled binary. */
	command: string[];
	env: Record<string, string>;
	agentDir: string;
	/** The extension file that makes a pi process a host. */
	hostEntry: string;
	/** The folders of principals that a host in a ring may write, besides its own. */
	ring?: { principals: readonly string[] };
}

/** Variables that differ from shell to shell, or from call to call, and mean nothing to a child. */
const VOLATILE = new RegExp(
	`^(${[
		"_|PWD|OLDPWD|SHLVL|COLUMNS|LINES|INIT_CWD|npm_(lifecycle_.*|command|package_.*)",
		// Variables of terminals and of their tabs.
		"TERM|TERM_PROGRAM.*|TERM_SESSION_ID|COLORTERM|COLORFGBG|WINDOWID|WINDOW|STY|TMUX.*|ZELLIJ.*|VTE_VERSION|ITERM_.*",
		"KITTY_.*|WEZTERM_.*|ALACRITTY_.*|KONSOLE_.*|GNOME_TERMINAL_.*|WT_(SESSION|PROFILE_ID)|WARP_.*|TERMINATOR_UUID|TILIX_ID",
		"GPG_TTY|SHELL_SESSION_ID|STARSHIP_SESSION_KEY|ATUIN_SESSION|SSH_(TTY|CLIENT|CONNECTION)",
		"XDG_SESSION_ID|INVOCATION_ID|JOURNAL_STREAM",
		// The span of this process. It travels with each run, in the plan.
		"TRACEPARENT|TRACESTATE|BAGGAGE",
		// Variables in which pi and its shells describe their session.
		"PI_GEON_(HOST|SEARCH)_RING|PI_SESSION_(ID|FILE)|PI_PROVIDER|PI_MODEL|PI_REASONING_LEVEL|AI_AGENT|PI_CODING_AGENT",
	].join("|")})$`,
);

export interface ProfileFacts {
	command: string[];
	piVersion: string;
	agentDir: string;
	hostEntry: string;
	env: NodeJS.ProcessEnv;
}

/** The profile of a pi in an environment. Two pis with the same profile share their hosts. */
export function profileOf({ command, piVersion, agentDir, hostEntry, env: given }: ProfileFacts): HostProfile {
	const env = {
		...stableEnvironment(given),
		// The depth guard: every process that a child starts knows that it is inside a child.
		PI_SUBAGENT_CHILD: "1",
		PI_SUBAGENT_DEPTH: "1",
	};
	const variables = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
	const facts = [command, piVersion, agentDir, hostEntry, codeOf(hostEntry), variables];
	const digest = createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 32);
	return { digest, command, env, agentDir, hostEntry };
}

/**
 * The profile of the same process in a ring. The principals are part of it: a host that was started before a principal had
 * its folder could not write there.
 */
export function inRing(profile: HostProfile, principals: readonly string[]): HostProfile {
	const digest = createHash("sha256")
		.update(JSON.stringify([profile.digest, principals]))
		.digest("hex")
		.slice(0, 32);
	return { ...profile, digest, ring: { principals } };
}

/** The profile of a host that posts runs to a pool. It has no ring: it reads the checkout and connects to a database. */
export const forPool = (profile: HostProfile, name: string): HostProfile => ({
	...profile,
	digest: `${POOL_PREFIX}${name}:${profile.digest}`,
});

/**
 * The entry names the files it loads by their content. After an update in place, a host of the old code therefore has
 * another profile.
 */
const codeOf = (hostEntry: string): string => (existsSync(hostEntry) ? readFileSync(hostEntry, "utf8") : "");

function stableEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
	return Object.fromEntries(
		Object.entries(env).flatMap(([name, value]) => (value === undefined || VOLATILE.test(name) ? [] : [[name, value]])),
	);
}
