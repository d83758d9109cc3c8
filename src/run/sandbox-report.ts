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
}
