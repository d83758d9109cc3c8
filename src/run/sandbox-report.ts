/** Where a run may write: nowhere, in a tree of its own, or in the user's checkout. */
export type WriteScope = "none" | "worktree" | "checkout";

/** What confined a run. */
export interface SandboxReport<Text extends string = string> {
	/** `policy`: only the choice of its tools confines it. */
	enforced: "kernel" | "policy";
	/** The program that set up the kernel's enforcement. */
	by?: Text;
	/** Why the kernel does not enforce it. */
	why?: Text;
	write: WriteScope;
	/** The network access of the processes that its tools start. */
	network: "off" | "on" | "allowlist";
	/**
	 * What restricts the rest of its host, including tools of extensions: `kernel` if the host can write nothing but
	 * pi-geon's and pi's own files. Absent in reports from before hosts had a ring.
	 */
	host?: "kernel" | "policy";
	/** Tools that run outside the run's ring: `host` says what restricts them. */
	policyOnly?: Text[];
	/** How many commands and writes failed because of it. Absent: none. */
	denials?: number;
}

const SCOPES: Readonly<Record<WriteScope, string>> = {
	none: "writes nothing",
	worktree: "writes in its own tree",
	checkout: "writes in the checkout",
};

/** Where there is room for only a few words. */
export const sandboxInShort = ({ enforced }: Pick<SandboxReport, "enforced">): string =>
	enforced === "kernel" ? "kernel-enforced" : "policy only";

/** In one line, for people. */
export function sandboxInWords(report: SandboxReport): string {
	const { enforced, by, why, write, network, denials } = report;
	const scope = `${SCOPES[write] ?? write}, network ${network}`;
	if (enforced === "policy") return `${scope}; the kernel enforces none of it: ${why ?? "the reason is unknown"}`;
	const denied = denials === undefined ? "" : `; denied ${denials === 1 ? "once" : `${denials} times`}`;
	return `${scope}, enforced by the kernel${by === undefined ? "" : ` (${by})`}${outsideInWords(report)}${denied}`;
}

function outsideInWords({ host, policyOnly = [] }: SandboxReport): string {
	if (policyOnly.length === 0) return "";
	return `; ${host === "kernel" ? "only kept from writing" : "by policy only"}: ${policyOnly.join(", ")}`;
}
