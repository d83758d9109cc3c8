import { basename } from "node:path";
import { NAME } from "../run/ids.ts";
import type { FieldsByKey } from "./fields.ts";
import type { Findings } from "./findings.ts";

/** The name of an agent. One that Claude Code knows as `Code Reviewer` is called `code-reviewer` here. */
export function readName(fields: FieldsByKey, findings: Findings, file: string): string | undefined {
	const field = fields.get("name");
	const ofFile = nameOfFile(file);
	if (field === undefined || field.value === null || field.value === "") {
		findings.error({ line: 1, key: "name" }, "The agent has no name.", `Add a field \`name: ${ofFile ?? "…"}\`.`);
		return undefined;
	}
	if (typeof field.value === "string" && NAME.test(field.value)) return field.value;
	const name = typeof field.value === "string" ? nameFor(field.value) : undefined;
	if (name !== undefined) {
		const message = `The agent is called ${name} here: a name has only letters, digits, dots, dashes and underscores.`;
		findings.warning(field, message, `Write \`name: ${name}\`.`);
		return name;
	}
	const example = ofFile === undefined ? "" : `, for example \`${ofFile}\``;
	findings.error(
		field,
		"This cannot be the name of an agent.",
		`Use up to 64 ASCII letters, digits, dots, dashes and underscores, the first a letter or digit${example}. Put a number in quotes.`,
	);
	return undefined;
}

/** Whether a text may have a name, as it is or as `readName` changes it. */
export const mayName = (text: string, name: string): boolean => text.includes(name) || dashed(text).includes(name);

/**
 * Names are parts of file names and session keys, so they have no spaces. Only a name in ASCII is changed: of others, too
 * little would remain to recognise them by.
 */
function nameFor(written: string): string | undefined {
	if (!/^[A-Za-z0-9][\x20-\x7e]*$/.test(written)) return undefined;
	const name = dashed(written);
	return NAME.test(name) ? name : undefined;
}

const dashed = (text: string): string =>
	text
		.toLowerCase()
		// C++ and C# are not both C.
		.replaceAll("+", "p")
		.replaceAll("#", "sharp")
		.replace(/[^a-z0-9._]+/g, "-")
		.replace(/^-|-$/g, "");

/** The name that an agent would have after its file, for a remedy. */
function nameOfFile(file: string): string | undefined {
	const name = basename(file).replace(/(?:\.(?:agent|chatmode))?\.md$/, "");
	return NAME.test(name) ? name : undefined;
}
