import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { getAgentDir } from "@earendil-works/pi-coding-agent";
import { placesIn } from "../ledger/places.ts";
import type { LaunchPlan, PlannedSandbox } from "../plan/plan.ts";
import { noHostList, unavailable } from "../plan/sandbox.ts";
import { foldersOfOurs } from "../plan/session-place.ts";
import { isMcpTool } from "../run/pi-tools.ts";
import { ASK_TOOL } from "../run/question.ts";
import type { SandboxReport } from "../run/sandbox-report.ts";
import { checkoutAround, writableCheckout } from "../sandbox/checkout.ts";
import { HIDDEN_OF_THE_MACHINE, hiddenByVariables, hiddenInHomes } from "../sandbox/hidden.ts";
import { hostListTrouble, probeRing, type RingProbe } from "../sandbox/probe.ts";
import { type RingProxy, startProxy } from "../sandbox/proxy.ts";
import { openRing, type Ring } from "../sandbox/ring.ts";
import { removeScratch, sweepScratch } from "../sandbox/scratch.ts";
import { hostRing } from "./host-ring.ts";
import type { ChildTree } from "./tree.ts";

/** What confines a run. */
export interface ChildRing {
	/** As far as it is known now. */
	readonly report: SandboxReport;
	/** The ring of the run, made when it is first needed. Absent if the kernel does not enforce anything. */
	ring?: () => Ring;
	/** Removes the ring's files. Call it once nothing runs in the ring any more. */
	close(): Promise<void>;
}

/** The run requires a ring, and there is none here. */
export class RingUnavailable extends Error {
	override name = "RingUnavailable";
}

/**
 * Finds out which kind of ring is possible, in a host whose runs will most likely have one. Other processes do the test, so
 * this process can continue meanwhile.
 */
export function tryRingAhead(): void {
	// The first run that needs a ring gets the same error, and reports it.
	if (hostRing().enforced === "kernel") probeRing().catch(() => {});
}

/** `tree`: where the run works, if not in the user's checkout. */
export async function ringForRun(
	plan: LaunchPlan,
	where: { agentDir: string; tree?: ChildTree | undefined },
): Promise<ChildRing | undefined> {
	const { sandbox } = plan;
	if (!sandbox) return undefined;
	const { mode, write, network } = sandbox;
	const byPolicy = (why: string): ChildRing => ({
		report: { enforced: "policy", why, write, network: "on" },
		close: async () => {},
	});
	if (mode === "off") return byPolicy("subagents.sandbox.mode is off");
	const probe = await probeRing();
	if (!probe.can) {
		if (mode === "require") throw new RingUnavailable(unavailable(plan.agent, probe.why));
		return byPolicy(probe.why);
	}
	const host = hostRing();
	// macOS cannot nest sandboxes, so hosts have none there.
	if (mode === "require" && host.enforced !== "kernel" && process.platform === "linux") {
		throw new RingUnavailable(unavailable(plan.agent, `Its host runs without a sandbox. ${host.why ?? ""}`.trim()));
	}
	if (network === "allowlist") {
		const trouble = await hostListTrouble(probe.abilities);
		if (trouble !== undefined) throw new RingUnavailable(noHostList(plan.agent, trouble));
	}
	const policyOnly = toolsOutside(plan);
	const scratch = scratchOf(plan);
	let ring: Ring | undefined;
	let proxy: RingProxy | undefined;
	return {
		get report(): SandboxReport {
			const denials = ring?.denials ?? 0;
			return {
				enforced: "kernel",
				by: probe.by,
				write,
				network,
				host: host.enforced,
				...(policyOnly.length > 0 && { policyOnly }),
				...(denials > 0 && { denials }),
			};
		},
		ring: () => {
			if (ring) return ring;
			ring = ringIn(scratch, { plan, sandbox, probe, ...where });
			if (network === "allowlist") proxy = startProxy(ring, sandbox.hosts ?? []);
			return ring;
		},
		close: async () => {
			await proxy?.close();
			if (ring) await removeScratch(scratch);
		},
	};
}

/** Per session, so that another attempt finds the files of the first in its `/tmp`. */
const scratchOf = ({ session }: LaunchPlan): string => join(placesIn(getAgentDir()).scratch, session.id);

interface RingFor {
	plan: LaunchPlan;
	sandbox: PlannedSandbox;
	probe: Extract<RingProbe, { can: true }>;
	agentDir: string;
	tree?: ChildTree | undefined;
}

function ringIn(scratch: string, { plan, sandbox, probe, agentDir, tree }: RingFor): Ring {
	const { write, network, sockets, env } = sandbox;
	const ring = openRing({
		abilities: probe.abilities,
		cwd: tree?.cwd ?? plan.cwd,
		writable: tree ? [tree.tree] : write === "checkout" ? writableCheckout(plan.cwd) : [],
		readable: [
			checkoutAround(plan.cwd),
			...programFolders(agentDirs(agentDir)),
			...skillFolders(plan),
			...(tree ? [tree.folder, ...tree.borrows()] : []),
		],
		hidden: hiddenByPlan(plan, agentDir),
		scratch,
		network,
		sockets,
		env,
	});
	if (!hasSwept) void sweepScratch(dirname(scratch)).catch(() => {}); // If this fails, the next host tries again.
	hasSwept = true;
	return ring;
}

let hasSwept = false;

const agentDirs = (agentDir: string): string[] => [...new Set([getAgentDir(), agentDir])];

/** What pi and pi-geon keep. */
const ourPlaces = ({ session }: LaunchPlan, agentDir: string): string[] => [
	...foldersOfOurs(getAgentDir(), homedir()),
	agentDir,
	dirname(dirname(session.file)),
];

/** What the rings of a run hide on top of what every ring hides. */
export const hiddenByPlan = (plan: LaunchPlan, agentDir: string): string[] => [
	...ourPlaces(plan, agentDir),
	...(plan.sandbox?.hide ?? []),
];

/**
 * Everything that a ring hides, for what is read outside of it on behalf of a child. Not for a ring itself: a variable may
 * name /dev/null, which no program can do without.
 */
export const hiddenFromChild = (plan: LaunchPlan, agentDir: string): string[] => [
	...hiddenByPlan(plan, agentDir),
	...HIDDEN_OF_THE_MACHINE,
	...hiddenInHomes(),
	...hiddenByVariables(process.env),
];

/** The folders of pi's own programs. In a host's ring, the original programs are in another folder too. */
const programFolders = (folders: readonly string[]): string[] => [
	...folders.map((dir) => join(dir, "bin")),
	...(hostRing().enforced === "kernel" ? [placesIn(getAgentDir()).ringed.ownPrograms] : []),
];

/** A skill is a folder with a SKILL.md, or a file among others. */
const skillFolders = ({ skills = [] }: LaunchPlan): string[] =>
	skills.map(({ file }) => (basename(file) === "SKILL.md" ? dirname(file) : file));

const RINGED_TOOLS: ReadonlySet<string> = new Set(["bash", "read", "write", "edit", "ls"]);

/** Tools of pi's that work in the ring. */
export const worksInRing = (tool: string): boolean => RINGED_TOOLS.has(tool) || hostRing().searches.has(tool);

function toolsOutside({ tools, extensionOf = {} }: LaunchPlan): string[] {
	const isInside = (name: string) =>
		name === ASK_TOOL || isMcpTool(name) || name === "lsp" || (worksInRing(name) && extensionOf[name] === undefined);
	return tools.filter((name) => !isInside(name));
}
