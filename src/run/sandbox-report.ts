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
	network: "off" | "on";
	/** Tools that work outside of the ring: only policy holds these. */
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
export function sandboxInWords({ enforced, by, why, write, network, policyOnly, denials }: SandboxReport): string {
	const scope = `${SCOPES[write] ?? write}, network ${network}`;
	if (enforced === "policy") return `${scope}; the kernel enforces none of it: ${why ?? "not known why"}`;
	const outside = policyOnly && policyOnly.length > 0 ? `; by policy only: ${policyOnly.join(", ")}` : "";
	const denied = denials === undefined ? "" : `; denied ${denials === 1 ? "once" : `${denials} times`}`;
	return `${scope}, enforced by the kernel${by === undefined ? "" : ` (${by})`}${outside}${denied}`;
}
