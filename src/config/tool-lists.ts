import { listOf, text } from "./kinds.ts";
import type { Kind } from "./setting.ts";

/** Tools of other systems that run commands. A list that was written for such a system should mean the same here. */
export const STANDS_FOR_BASH: readonly string[] = ["exec", "process"];

const nameList = listOf(text);

/**
 * A list of allowed or denied tools. `exec` and `process` also stand for `bash`, besides tools of that name, which an
 * extension may bring.
 */
export const toolNames: Kind<readonly string[]> = {
	expected: nameList.expected,
	read: (value, source) => {
		const read = nameList.read(value, source);
		if (!read || !Array.isArray(value)) return read;
		for (const [index, name] of value.entries()) {
			if (!STANDS_FOR_BASH.includes(name)) continue;
			source.at(index).report("warning", `${name} stands for bash, which runs commands in pi.`, "Write bash.");
		}
		return [...new Set(read.flatMap((name) => (STANDS_FOR_BASH.includes(name) ? [name, "bash"] : [name])))];
	},
};
