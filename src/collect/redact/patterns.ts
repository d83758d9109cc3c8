import { maskAssignments } from "./assignments.ts";
import { startOf, TOKEN_CHAR } from "./characters.ts";
import { maskColumns } from "./columns.ts";
import { maskCommands } from "./commands.ts";
import { maskEncodedText } from "./encoded-text.ts";
import { maskHttpCredentials } from "./http-credentials.ts";
import { maskKubernetesSecrets } from "./kubernetes-secrets.ts";
import { maskLinesOfTools } from "./lines-of-tools.ts";
import { MASKED } from "./mask.ts";
import { maskPrivateKeys } from "./private-keys.ts";
import { maskRecoveryPhrases } from "./recovery-phrases.ts";
import { maskTokens } from "./tokens.ts";

/** Most text holds nothing to mask and is read once. */
const MAX_PASSES = 4;

/**
 * A mask can isolate a value that ran into the next one before, so changed text is read once more. Not every part is read
 * by every step: the names were read with all masks but their own, and new tokens appear only where a mask touches one.
 */
export function maskPatterns(text: string): string {
	return maskEncodedText(maskShown(text), maskShown);
}

/** All but what is encoded. */
function maskShown(text: string): string {
	let current = text;
	let masks: number[] | undefined;
	let tokensToo = true;
	for (let pass = 0; pass < MAX_PASSES; pass += 1) {
		const formed: string = tokensToo ? maskTokens(maskPrivateKeys(current)) : maskPrivateKeys(current);
		const beside: string = maskCommands(
			maskRecoveryPhrases(maskColumns(maskKubernetesSecrets(maskLinesOfTools(maskHttpCredentials(formed))))),
		);
		// A name that sees no mask sees the same as in the last pass.
		const since = beside === current || pass === 0 ? masks : masksIn(beside);
		const assigned = maskAssignments(beside, since);
		const { all, unsettled } = assigned.masks;
		// Where only assigned values were masked, the text around them ends a token as a bracket does.
		if (beside === current && unsettled.length === 0) return assigned.text;
		tokensToo = beside !== current && (formed !== current || touchesToken(beside));
		masks = beside === current ? unsettled : all;
		current = assigned.text;
	}
	return current;
}

function masksIn(text: string): number[] {
	const masks: number[] = [];
	for (let at = text.indexOf(MASKED); at !== -1; at = text.indexOf(MASKED, at + MASKED.length)) masks.push(at);
	return masks;
}

/** Shorter than any token. */
const PART_OF_TOKEN = 12;
/** What a token may begin with. */
const BEGINS_TOKEN = /[\w$~.+/-]/;

/** Whether a mask is beside a possible part of a token: both ends of a mask are brackets, which no token contains. */
function touchesToken(text: string): boolean {
	for (let at = text.indexOf(MASKED); at !== -1; at = text.indexOf(MASKED, at + MASKED.length)) {
		const end = text.indexOf("]", at) + 1;
		if (BEGINS_TOKEN.test(text.charAt(end))) return true;
		if (startOf(text, at, TOKEN_CHAR, PART_OF_TOKEN) === at - PART_OF_TOKEN) return true;
	}
	return false;
}
