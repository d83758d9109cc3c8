import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { AgentSource } from "../../agents/definition.ts";
import { parseAgent } from "../../agents/parse.ts";
import { inOneLine } from "../../collect/plain.ts";
import { writeNew } from "../../files/write-whole.ts";
import { formatDiagnostic } from "../../run/diagnostic.ts";

interface Draft {
	text: string;
	/** The path to save it under. */
	file: string;
	source: AgentSource;
}

const AGAIN = "Edit it again";
const DISCARD = "Discard it";
const UNUSABLE = "It cannot be used like this.";
/** The parser does not report this, since a folder of agents may contain other files. */
const NO_FRONTMATTER = "It cannot be used like this: it does not begin with frontmatter between two lines of ---.";

/** Saves a text, or returns why it cannot. */
type Save = (text: string) => { saved: string } | { problem: string };

/**
 * Shows an agent's file to the user, and saves the edited text once it is valid. Undefined: the user changed their mind.
 */
export async function editAgent(ctx: ExtensionContext, draft: Draft, save: Save): Promise<string | undefined> {
	let { text } = draft;
	for (;;) {
		const edited = await ctx.ui.editor(`${inOneLine(draft.file)}: Enter saves, Esc discards`, text);
		if (edited === undefined) return undefined;
		text = `${edited.trimEnd()}\n`;
		const { agent, diagnostics } = parseAgent(text, draft);
		const problems = diagnostics.map((one) => inOneLine(formatDiagnostic(one)));
		const result = agent ? save(text) : { problem: problems.length > 0 ? UNUSABLE : NO_FRONTMATTER };
		if ("saved" in result) {
			const said = [`Saved ${inOneLine(result.saved)}.`, ...problems].join("\n");
			ctx.ui.notify(said, problems.length > 0 ? "warning" : "info");
			return result.saved;
		}
		const chosen = await ctx.ui.select([inOneLine(result.problem), ...problems].join("\n"), [AGAIN, DISCARD]);
		if (chosen !== AGAIN) return undefined;
	}
}

/** Never overwrites another file. */
export function saveNew(file: string, text: string): { saved: string } | { problem: string } {
	try {
		writeNew(file, text);
		return { saved: file };
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "EEXIST")
			return { problem: `${file} already exists.` };
		throw error;
	}
}
