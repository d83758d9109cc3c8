import { constants, copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { isRecord } from "../run/is-record.ts";
import { type Ring, tmpInside, tmpOf } from "../sandbox/ring.ts";

/**
 * When pi cuts the result of a command, it keeps the whole output in the temp folder of its process, which a ring does not
 * show. This moves the output into the ring's own temp folder, where both a shell and `read` find it under the name in the
 * result.
 */
export function keepingOutput(tool: ToolDefinition, ring: () => Ring): ToolDefinition {
	return {
		...tool,
		execute: async (...call) => {
			try {
				const result = await tool.execute(...call);
				const [first, ...others] = result.content;
				if (first?.type !== "text") return result;
				const { text, inside } = moved(first.text, ring());
				if (inside === undefined) return result;
				const details = isRecord(result.details) ? { ...result.details, fullOutputPath: inside } : result.details;
				return { ...result, content: [{ ...first, text }, ...others], details };
			} catch (error) {
				// The message holds the output of a command that failed.
				if (error instanceof Error) error.message = moved(error.message, ring()).text;
				throw error;
			}
		},
	};
}

/** The end of a result, where pi names the file: the command's own output comes before it. */
const NAMED = /(Full output: )(.+\/(pi-bash-[0-9a-f]{16}\.log))(\](?:\n\nCommand .*)?)$/;

function moved(text: string, ring: Ring): { text: string; inside?: string } {
	const [, before, file = "", name = "", after] = NAMED.exec(text) ?? [];
	// A command may print such a line too.
	if (before === undefined || dirname(file) !== tmpdir() || !existsSync(file)) return { text };
	move(file, join(tmpOf(ring.setup), name));
	const inside = join(tmpInside(ring.setup), name);
	return { text: text.replace(NAMED, () => `${before}${inside}${after}`), inside };
}

function move(from: string, to: string): void {
	try {
		renameSync(from, to);
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
		// Another file system. Never overwrites a file, which may be a link that leads out of the ring.
		copyFileSync(from, to, constants.COPYFILE_EXCL);
		rmSync(from);
	}
}
