import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

/** Invisible characters, and those that change how a line reads: text direction, controls, zero width. */
const UNSEEN = /([\p{Bidi_Control}\u200B\u2060\uFEFF\u00AD\u{E0000}-\u{E007F}]|(?![\n\t\r])\p{Cc})/gu;
const HAS_UNSEEN = /[\p{Bidi_Control}\u200B\u2060\uFEFF\u00AD\u{E0000}-\u{E007F}]|(?![\n\t\r])\p{Cc}/u;
/** The limit of such marks in one text: each mark is an element, and no text that people write has more. */
const MOST_MARKS = 500;

/** Words of others as text nodes, with hidden characters made visible. */
export function legibleNodes(text: string): ComponentChildren {
	if (!HAS_UNSEEN.test(text)) return text;
	let marks = 0;
	return text.split(UNSEEN).map((part, index) => {
		if (index % 2 === 0) return part;
		return ++marks > MOST_MARKS ? "" : <HiddenCharacter character={part} />;
	});
}

function HiddenCharacter({ character }: { character: string }) {
	const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
	return (
		<span class="hidden-character" title={`A hidden character: ${code}`}>
			{code}
		</span>
	);
}

/** Inside one of our lines: its text direction ends with it. */
export const Foreign = ({ text, class: name }: { text: string; class?: string }) => (
	<bdi class={name}>{legibleNodes(text)}</bdi>
);

/** A browser lays out a text as a whole, so a long one is split: the browser lays out only the visible pieces. */
const PIECE_CHARS = 20_000;

/** Several lines, as they are. */
export function ForeignBlock({ text, class: name = "" }: { text: string; class?: string }) {
	const pieces = useMemo(() => piecesOf(text), [text]);
	return (
		<pre class={`foreign ${name}`} dir="auto">
			{pieces.length === 1
				? legibleNodes(text)
				: pieces.map((piece) => <span class="piece">{legibleNodes(piece)}</span>)}
		</pre>
	);
}

/** Cut after a line if possible, and never inside a character. */
function piecesOf(text: string): string[] {
	const pieces: string[] = [];
	for (let from = 0; from < text.length || pieces.length === 0; ) {
		const most = from + PIECE_CHARS;
		const line = text.lastIndexOf("\n", most) + 1;
		const isPair = /[\uD800-\uDBFF]/.test(text[most - 1] ?? "");
		const to = most >= text.length ? text.length : line > from ? line : most - (isPair ? 1 : 0);
		pieces.push(text.slice(from, to));
		from = to;
	}
	return pieces;
}
