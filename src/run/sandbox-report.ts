/** Where a run may write: nowhere, in a tree of its own, or in the user's checkout. */
export type WriteScope = "none" | "worktree" | "checkout";

/** What kept a run to what it may do. */
export interface SandboxReport<Text extends string = string> {
	/** `policy`: only the choice of its tools did. */
	enforced: "kernel" | "policy";
	/** The program that asked the kernel for it. */
	by?: Text;
	/** Why the kernel does not enforce it. */
	why?: Text;
	write: WriteScope;
	/** Of the processes that its tools start. */
	network: "off" | "on" | "allowlist";
	/**
	 * What holds the rest of its host, tools of extensions included: `kernel` if that can write nothing but pi-geon's and
	 * pi's own files. Absent in reports from before there was a ring for hosts.
	 */
	host?: "kernel" | "policy";
	/** Tools that work outside of the run's ring: `host` says what holds them. */
	policyOnly?: Text[];
	/** How many commands and writes failed because of it. Absent: none. */
	denials?: number;
}

const SCOPES: Readonly<Record<WriteScope, string>> = {
	none: "writes nothing",
	worktree: "writes in its own tree",
	checkout: "writes in the checkout",
};

/** In one line, for people. */
export function sandboxInWords(report: SandboxReport): string {
	const { enforced, by, why, write, network, denials } = report;
	const scope = `${SCOPES[write] ?? write}, network ${network}`;
	if (enforced === "policy") return `${scope}; the kernel enforces none of it: ${why ?? "not known why"}`;
	const denied = denials === undefined ? "" : `; denied ${denials === 1 ? "once" : `${denials} times`}`;
	return `${scope}, enforced by the kernel${by === undefined ? "" : ` (${by})`}${outsideInWords(report)}${denied}`;
}

function outsideInWords({ host, policyOnly = [] }: SandboxReport): string {
	if (policyOnly.length === 0) return "";
	return `; ${host === "kernel" ? "only kept from writing" : "by policy only"}: ${policyOnly.join(", ")}`;
}
