export type Frontmatter =
	| {
			kind: "found";
			/** An empty line replaces the opening `---`, so that line numbers are those of the file. */
			yaml: string;
			body: string;
	  }
	| { kind: "missing" }
	/** There is an opening `---`, but not in the first line. */
	| { kind: "late" }
	| { kind: "unterminated" };

const FENCE = /^---[ \t]*$/;

/**
 * Splits the text without a library, because the usual one runs the code in `---js` blocks. Only a bare `---` opens
 * frontmatter.
 */
export function splitFrontmatter(text: string): Frontmatter {
	const lines = text
		.replace(/^\uFEFF/, "")
		.replace(/\r\n?/g, "\n")
		.split("\n");
	if (!FENCE.test(lines[0] ?? "")) {
		const first = lines.map(withoutInvisible).find((line) => line.trim() !== "") ?? "";
		return { kind: FENCE.test(first.trim()) ? "late" : "missing" };
	}
	const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
	if (end === -1) return { kind: "unterminated" };
	return { kind: "found", yaml: ["", ...lines.slice(1, end)].join("\n"), body: lines.slice(end + 1).join("\n") };
}

const withoutInvisible = (line: string): string => line.replace(/\p{Default_Ignorable_Code_Point}/gu, "");
