/** How many subagents deep a process is: 0 in a user's own pi or shell. */
export function delegationDepth(env: NodeJS.ProcessEnv): number {
	const depth = Number(env.PI_SUBAGENT_DEPTH);
	if (depth > 0) return depth;
	return env.PI_SUBAGENT_CHILD === "1" ? 1 : 0;
}
