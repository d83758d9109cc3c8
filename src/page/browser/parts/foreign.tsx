import type { ComponentChildren } from "preact";

/** What a reader does not see, and what makes a line read as something else: text direction, controls, zero width. */
const UNSEEN = /([\p{Bidi_Control}\u200B\u2060\uFEFF\u00AD\u{E0000}-\u{E007F}]|(?![\n\t\r])\p{Cc})/gu;
const HAS_UNSEEN = /[\p{Bidi_Control}\u200B\u2060\uFEFF\u00AD\u{E0000}-\u{E007F}]|(?![\n\t\r])\p{Cc}/u;
/** Of such marks in one text. No text of people has more, and each is an element. */
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

/** In a line of ours: whatever direction it has ends with it. */
export const Foreign = ({ text, class: name }: { text: string; class?: string }) => (
	<bdi class={name}>{legibleNodes(text)}</bdi>
);

/** Several lines, as they are. */
export const ForeignBlock = ({ text, class: name = "" }: { text: string; class?: string }) => (
	<pre class={`foreign ${name}`} dir="auto">
		{legibleNodes(text)}
	</pre>
);
