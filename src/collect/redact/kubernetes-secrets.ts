import { maskOf } from "./mask.ts";
import { isPlaceholder } from "./secret-values.ts";

const SECRET_KIND = /^[+-]?[ \t]*kind:[ \t]*["']?Secret["']?[ \t]*\r?$|"kind":[ \t]*"Secret"/gm;
const DATA_BLOCK = /^([+-]?[ \t]*)(?:data|stringData):[ \t]*\r?\n((?:\1[ \t]+[^\n]*\n?){1,200})/gm;
const ENTRY = /^([+-]?[ \t]+["']?[\w.-]{1,100}["']?:[ \t]+["']?)([^\s"'|>{&*][^\s"']{3,8000})/gm;
const JSON_BLOCK = /"(?:data|stringData)":[ \t\n]{0,40}\{[^{}]{1,16000}\}/g;
const JSON_ENTRY = /("[\w.-]{1,100}":[ \t]{0,4}")([^"\n]{4,8000})(?=")/g;
/** A list of objects may hold a Secret beside others: the kind is this near to its data. */
const NEAR_KIND = 4_000;

/** Masks all data of a Kubernetes Secret, whatever the names. */
export function maskKubernetesSecrets(text: string): string {
	if (!text.includes("Secret") || !text.includes("kind")) return text;
	return text
		.split(/^(?=---[ \t]*\r?$)/m)
		.map(maskDocument)
		.join("");
}

function maskDocument(text: string): string {
	const kinds = [...text.matchAll(SECRET_KIND)].map(({ index }) => index);
	if (kinds.length === 0) return text;
	return maskBlocks(maskBlocks(text, kinds, DATA_BLOCK, ENTRY), kinds, JSON_BLOCK, JSON_ENTRY);
}

function maskBlocks(text: string, kinds: readonly number[], blocks: RegExp, entry: RegExp): string {
	let next = 0;
	// Both the blocks and the kinds come in the order of the text: each is passed once.
	return text.replace(blocks, (block, ...rest: unknown[]) => {
		const at = rest.find((part) => typeof part === "number") ?? 0;
		while (next < kinds.length && (kinds[next] ?? 0) < at - NEAR_KIND) next += 1;
		const isNear = next < kinds.length && (kinds[next] ?? 0) <= at + block.length + NEAR_KIND;
		return isNear ? block.replace(entry, hide) : block;
	});
}

const hide = (entry: string, before: string, value: string): string =>
	isPlaceholder(value) ? entry : before + maskOf("secret");
