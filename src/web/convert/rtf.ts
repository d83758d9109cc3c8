import { decoderFor } from "./charset.ts";
import type { Converted } from "./converted.ts";
import { LONGEST_TEXT } from "./text-parts.ts";

/** Control words with their number, signs, bytes in hexadecimal, braces, and the text between them. */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi;

/** Groups that hold settings, pictures or the source of a field. */
const RTF_SETTINGS = new Set(
	"fonttbl colortbl stylesheet info pict object fldinst themedata colorschememapping latentstyles datastore listtable listoverridetable rsidtbl generator header footer headerl headerr footerl footerr xmlnstbl".split(
		" ",
	),
);
const WRITTEN: Readonly<Record<string, string>> = {
	par: "\n\n",
	sect: "\n\n",
	page: "\n\n",
	line: "\n",
	tab: "\t",
	cell: " | ",
	row: "\n",
	emdash: "—",
	endash: "–",
	lquote: "‘",
	rquote: "’",
	ldblquote: "“",
	rdblquote: "”",
	bullet: "•",
};

interface Group {
	isSkipped: boolean;
	/** How many characters after a Unicode one are its fallback. */
	standIns: number;
}

/** The text of an RTF document, without its look. */
export function rtfToText(bytes: Uint8Array): Converted {
	const source = Buffer.from(bytes).toString("latin1");
	const decoder =
		decoderFor(`windows-${/\\ansicpg(\d{3,5})/.exec(source)?.[1] ?? "1252"}`) ?? new TextDecoder("windows-1252");
	const groups: Group[] = [{ isSkipped: false, standIns: 1 }];
	let text = "";
	let skip = 0;
	let pending: number[] = [];
	const group = () => groups.at(-1) ?? { isSkipped: true, standIns: 1 };
	const write = (words: string) => {
		if (pending.length > 0) {
			text += decoder.decode(Buffer.from(pending));
			pending = [];
		}
		if (!group().isSkipped) text += words;
	};
	for (const [, word, number, hex, sign, brace, plain] of source.matchAll(TOKEN)) {
		if (text.length > LONGEST_TEXT) return { text: withoutGaps(text), cut: true };
		if (hex !== undefined) {
			if (skip > 0) skip--;
			else if (!group().isSkipped) pending.push(Number.parseInt(hex, 16));
		} else if (plain !== undefined) {
			write(plain.slice(skip));
			skip = Math.max(0, skip - plain.length);
		} else if (brace === "{") {
			write("");
			groups.push({ ...group() });
		} else if (brace === "}") {
			write("");
			if (groups.length > 1) groups.pop();
		} else if (sign === "*") group().isSkipped = true;
		else if (sign !== undefined) write(sign === "~" ? " " : sign === "_" ? "-" : /[\\{}]/.test(sign) ? sign : "");
		else if (word === "u" && number !== undefined) {
			write(String.fromCharCode(Number(number) & 0xffff));
			skip = group().standIns;
		} else if (word === "uc") group().standIns = Math.min(Number(number ?? 1), 8);
		else if (word === "bin") break;
		else if (word !== undefined && RTF_SETTINGS.has(word)) group().isSkipped = true;
		else if (word !== undefined) write(WRITTEN[word] ?? "");
	}
	write("");
	return { text: withoutGaps(text) };
}

const withoutGaps = (text: string): string =>
	text
		.replace(/ \| *(?=\n|$)/g, "")
		.replace(/[ \t]+\n/g, "\n")
		.replace(/\n{3,}/g, "\n\n")
		.trim();
