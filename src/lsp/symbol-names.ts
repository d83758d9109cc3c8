/**
 * The parts of a symbol's name, outermost first, as people and servers write them: `Class.method`, `ns::f(int)`,
 * `Class#method`, `(*Stack[T]).Push` in gopls, `impl<T> Trait for Stack<T>` in rust-analyzer.
 */
export function nameParts(name: string): string[] {
	if (/\boperator\b/.test(name)) return name.split("::");
	const plain = name
		.trim()
		.replace(/^impl\s*(<.*?>\s*)?(?=\S)/, "")
		.replace(/^.*\sfor\s+/, "")
		.replace(/^\(\*?([^)]*)\)\./, "$1.")
		.replace(/\(.*$/s, "")
		.replace(/<.*>|\[.*\]/gs, "")
		.replace(/^[&*]+|\s+$/g, "");
	const parts = plain.split(/\.|::|#|\//).filter((part) => part !== "");
	return parts.length > 0 ? parts : [name];
}

/** Whether a symbol is the requested one: by its name, or by the end of its path. */
export function isMeant(asked: string, { name, within }: { name: string; within: readonly string[] }): boolean {
	if (name === asked) return true;
	const wanted = nameParts(asked);
	const path = [...within, name].flatMap(nameParts);
	return wanted.every((part, index) => path.at(index - wanted.length) === part);
}

/** Whether its own name is the requested one, no matter what contains it. */
export const hasLastName = (asked: string, name: string): boolean =>
	name === asked || nameParts(name).at(-1) === nameParts(asked).at(-1);
