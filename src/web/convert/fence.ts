/** Code as a block, with a fence that no line of it can close. */
export function fenced(code: string, language = ""): string {
	const longest = Math.max(2, ...[...code.matchAll(/^\s*(`{3,})/gm)].map(([, ticks = ""]) => ticks.length));
	const fence = "`".repeat(longest + 1);
	return `${fence}${language}\n${code.replace(/^(?:[ \t]*\n)+/, "").trimEnd()}\n${fence}`;
}
