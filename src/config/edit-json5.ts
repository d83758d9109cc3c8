import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../run/is-record.ts";
import { parseJson5 } from "./json5.ts";
import { JSON_TOKEN, unquoted } from "./locate.ts";

/** The text cannot be changed without risking a loss. Expected: the user has to edit it by hand. */
export class NotEditable extends Error {
	override name = "NotEditable";
}

/**
 * Sets one value of a JSON5 text, or removes it (`undefined`), and keeps everything else: comments, order, spaces. Parses the
 * result again, and throws unless it has the old values with only this change.
 */
export function editJson5(text: string, path: readonly string[], value: unknown): string {
	const before: unknown = text.trim() === "" ? {} : parseJson5(text);
	if (!isRecord(before)) throw new NotEditable("it does not hold an object");
	const edited = text.trim() === "" ? editedText("{}\n", path, value) : editedText(text, path, value);
	if (!isDeepStrictEqual(parseJson5(edited), valuesWith(before, path, value))) {
		throw new NotEditable(`${path.join(".")} cannot be changed without touching something else in it`);
	}
	return edited;
}

function valuesWith(values: Record<string, unknown>, [key = "", ...rest]: readonly string[], value: unknown): unknown {
	const { [key]: inner, ...others } = values;
	if (rest.length === 0) return value === undefined ? others : { ...values, [key]: value };
	if (inner === undefined && value === undefined) return values;
	return { ...values, [key]: valuesWith(isRecord(inner) ? inner : {}, rest, value) };
}

interface Token {
	text: string;
	start: number;
	end: number;
}

/** A value in the text: its range, and the members if it is an object. */
interface Node {
	start: number;
	end: number;
	members?: Member[];
}

interface Member {
	key: string;
	/** Where its key begins. */
	start: number;
	value: Node;
	/** Where the comma after it ends. */
	comma?: number;
}

function editedText(text: string, path: readonly string[], value: unknown): string {
	let node = rootNode(text);
	for (const [depth, key] of path.entries()) {
		const { members } = node;
		if (!members) throw new NotEditable(`${path.slice(0, depth).join(".")} is not an object in it`);
		// If a key occurs twice, the last one counts.
		const found = members.findLast((member) => member.key === key);
		if (!found) return value === undefined ? text : withMember(text, node, path.slice(depth), value);
		if (depth === path.length - 1)
			return value === undefined ? withoutMember(text, found) : replaced(text, found.value, value);
		node = found.value;
	}
	return text;
}

const replaced = (text: string, { start, end }: Node, value: unknown): string =>
	`${text.slice(0, start)}${inText(value, indentAt(text, start))}${text.slice(end)}`;

function withoutMember(text: string, { start, value, comma }: Member): string {
	const lineStart = text.lastIndexOf("\n", start - 1) + 1;
	const end = comma ?? value.end;
	// Also remove its line if nothing else is on it.
	const isAlone = text.slice(lineStart, start).trim() === "" && /^[ \t]*\r?\n/.test(text.slice(end));
	return isAlone
		? text.slice(0, lineStart) + text.slice(end).replace(/^[ \t]*\r?\n/, "")
		: text.slice(0, start) + text.slice(end);
}

/** Inserts a member at the beginning of its object, because a comment may follow the last one. */
function withMember(text: string, { start, members = [] }: Node, keys: readonly string[], value: unknown): string {
	const outer = indentAt(text, start);
	const indent = `${outer}\t`;
	const [key = "", ...rest] = keys;
	const nested = rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
	const member = `\n${indent}${JSON.stringify(key)}: ${inText(nested, indent)}`;
	const after = members.length > 0 ? "," : `\n${outer}`;
	return `${text.slice(0, start + 1)}${member}${after}${text.slice(start + 1)}`;
}

const inText = (value: unknown, indent: string): string =>
	Array.isArray(value) ? JSON.stringify(value) : JSON.stringify(value, null, "\t").replaceAll("\n", `\n${indent}`);

function indentAt(text: string, offset: number): string {
	const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
	return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? "";
}

/** The text must be valid. */
function rootNode(text: string): Node {
	const tokens = [...text.matchAll(JSON_TOKEN)]
		.map(({ 0: token, index }): Token => ({ text: token, start: index, end: index + token.length }))
		.filter((token) => !token.text.startsWith("//") && !token.text.startsWith("/*"));
	let next = 0;
	return valueNode();

	function take(): Token {
		const token = tokens[next++];
		if (!token) throw new NotEditable("it ends too early");
		return token;
	}

	function valueNode(): Node {
		const first = take();
		if (first.text === "{") return objectNode(first);
		if (first.text !== "[") return { start: first.start, end: first.end };
		while (tokens[next]?.text !== "]")
			if (tokens[next]?.text === ",") take();
			else valueNode();
		return { start: first.start, end: take().end };
	}

	function objectNode({ start }: Token): Node {
		const members: Member[] = [];
		while (tokens[next]?.text !== "}") {
			const key = take();
			take();
			const value = valueNode();
			const comma = tokens[next]?.text === "," ? take().end : undefined;
			members.push({ key: unquoted(key.text), start: key.start, value, ...(comma !== undefined && { comma }) });
		}
		return { start, end: take().end, members };
	}
}
