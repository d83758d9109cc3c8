import type { Hover, MarkupContent, SignatureHelp } from "vscode-languageserver-protocol";
import { toPosition, unitsBefore } from "../positions.ts";
import { askAgainIfEmpty } from "../readiness.ts";
import type { LspAnswer, LspRequest } from "../request.ts";
import type { LspSession } from "../session.ts";
import { atTarget, type Target } from "../target.ts";

const LONGEST_DESCRIPTION = 6000;

export function hover(session: LspSession, request: LspRequest): Promise<LspAnswer> {
	return atTarget(session, request, async (target) => {
		const ask = () => hoverText(target, session.signal);
		const text = await askAgainIfEmpty(session, target.server, { ask, isEmpty: (found) => found === "" });
		return { text: text || "Nothing is known about this place.", details: { text, server: target.server.name } };
	});
}

/**
 * The signature of a function. Servers answer only inside the parentheses of a call, so for a name, this tries the next
 * parentheses, then its declaration.
 */
export function signature(session: LspSession, request: LspRequest): Promise<LspAnswer> {
	return atTarget(session, request, async (target) => {
		const { server, uri, position, lines } = target;
		const line = lines[position.line] ?? "";
		const opening = line.indexOf("(", unitsBefore(position.character, line, server.encoding));
		const inside = toPosition({ line: position.line + 1, column: opening + 2 }, line, server.encoding);
		const tried = opening === -1 ? [position] : [position, inside];
		for (const place of tried) {
			const params = { textDocument: { uri }, position: place };
			const help = await server.request<SignatureHelp | null>("textDocument/signatureHelp", params, session.signal);
			if (help && help.signatures.length > 0) {
				return { text: signatureText(help), details: { ...help, server: server.name } };
			}
		}
		const text = await hoverText(target, session.signal);
		return { text: text || "No signature is known here.", details: { text, server: server.name } };
	});
}

function signatureText({ signatures, activeSignature }: SignatureHelp): string {
	const lines = signatures.map(({ label, documentation }, index) => {
		const mark = signatures.length > 1 && index === (activeSignature ?? 0) ? "→ " : "";
		return [`${mark}${label}`, textOfMarkup(documentation)].filter((part) => part !== "").join("\n");
	});
	return cutDescription(lines.join("\n\n"));
}

async function hoverText({ server, uri, position }: Target, signal: AbortSignal | undefined): Promise<string> {
	const params = { textDocument: { uri }, position };
	const answer = await server.request<Hover | null>("textDocument/hover", params, signal);
	const contents = answer?.contents ?? [];
	const parts = Array.isArray(contents) ? contents : [contents];
	return cutDescription(parts.map(textOfMarkup).join("\n\n").trim());
}

function textOfMarkup(content: string | MarkupContent | { value: string } | undefined): string {
	return (typeof content === "string" ? content : (content?.value ?? "")).trim();
}

const cutDescription = (text: string): string =>
	text.length > LONGEST_DESCRIPTION ? `${text.slice(0, LONGEST_DESCRIPTION)}…` : text;
