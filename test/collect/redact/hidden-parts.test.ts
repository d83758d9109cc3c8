import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/collect/redact/redactor.ts";
import fc from "../../helpers/fast-check.ts";
import { bareTokens } from "../../security/secrets/bare-tokens.ts";
import { inContext } from "../../security/secrets/in-context.ts";
import { keyBlocks } from "../../security/secrets/key-blocks.ts";
import { lookAlikes as furtherLookAlikes } from "../../security/secrets/look-alikes.ts";
import { lookAlikes } from "./look-alikes.ts";
import { secretShapes } from "./secret-shapes.ts";
import { ALNUM, seeded } from "./seeded.ts";

const LITERAL = "zebra.plover!quartz-91";
const redactorLooking = (lookAround?: number, secrets = [LITERAL]) =>
	createRedactor({
		secrets,
		homeDir: "/home/al",
		sliceChars: Number.POSITIVE_INFINITY,
		...(lookAround && { lookAround }),
	});
const inParts = redactorLooking();
const asAWhole = redactorLooking(Number.POSITIVE_INFINITY);

const random = seeded(12);
const long = (length: number): string => random.pick(ALNUM, length);
/** What is long, so that its beginning lies far from its end. */
const FAR_APART = [
	`const password = "${"correct horse ".repeat(400)}${long(24)}";`,
	`Cookie: theme=dark; ${"a=b; ".repeat(1_000)}session=${long(40)}`,
	`eyJ${long(3_000)}.${long(4_000)}.${long(400)}`,
	`-----BEGIN PRIVATE KEY-----\n${`${long(64)}\n`.repeat(250)}-----END PRIVATE KEY-----`,
	`{"kty":"RSA","n":"${long(8_000)}","d":"${long(400)}"}`,
	`LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t${long(9_000)}`,
	Array.from({ length: 60 }, (_, at) => `    at f${at} (file.js:${at}:1)`).join("\n"),
	`variable "token" {\n  description = "${"many words ".repeat(20)}"\n  default = "${long(30)}"\n}`,
	`{"name": "X_TOKEN", "type": "${" ".repeat(25)}",${" ".repeat(50)}"value": "${long(30)}"}`,
	`Authorization: Bearer ${long(5_000)}`,
];
const texts = [
	...[...secretShapes(), ...bareTokens(), ...inContext(), ...keyBlocks()].map(({ text }) => text),
	...[...lookAlikes(), ...furtherLookAlikes()].map(({ text }) => text),
	`It is ${LITERAL}, they say.`,
	...FAR_APART.flatMap((text) => Array.from({ length: 20 }, () => text)),
];
const HIDDEN = [
	"\u200B",
	"\u00AD",
	"\uFEFF",
	"\u202E",
	"\u0000",
	"\u001B",
	"\u001B[31m",
	"\u001B[0m",
	"\u001B]0;a\u0007",
	"\u009B1m",
	"\v",
	"\u2764\uFE0F",
	"\u200B\u001B[1m",
];
const FILLERS = [
	"Nothing in this line is worth hiding, and it ends like any other.\n",
	"    - an indented line, which goes on: and on,\n",
	'{"id":12,"name":"x","list":[1,2,3]},',
	"and it goes on in one line ",
];

/** Anywhere, or near the beginning, where the name is that says what the rest is. */
const place = fc.oneof(
	fc.double({ min: 0, max: 1, noNaN: true }).map((share) => (text: string) => Math.round(share * text.length)),
	fc.integer({ min: 0, max: 20 }).map((at) => () => at),
);
const withHidden = fc
	.tuple(fc.constantFrom(...texts), fc.array(fc.tuple(place, fc.constantFrom(...HIDDEN)), { maxLength: 3 }))
	.map(([text, places]) =>
		places.reduce((whole, [placeIn, hidden]) => {
			const at = placeIn(whole);
			return `${whole.slice(0, at)}${hidden}${whole.slice(at)}`;
		}, text),
	);
const filler = fc
	.tuple(fc.constantFrom(...FILLERS), fc.integer({ min: 0, max: 9_000 }))
	.map(([line, length]) => line.repeat(Math.ceil(length / line.length)));
const mixture = fc
	.array(fc.tuple(filler, withHidden, fc.constantFrom("\n", "\n\n", " ", "\r\n")), { minLength: 1, maxLength: 5 })
	.map((parts) => parts.flat().join(""))
	// Of a longer one, whether it is full of hidden characters depends on how far around them is read.
	.filter((text) => text.length <= 50_000);

describe("a text with hidden characters, read again around them", () => {
	it("is what it is if all of it is read again", () => {
		fc.assert(
			fc.property(mixture, (text) => {
				expect(inParts.redact(text)).toBe(asAWhole.redact(text));
			}),
			{ numRuns: 400 },
		);
	}, 300_000);

	it("needs more than a few characters around them", () => {
		// A known secret is looked for as far as it reaches. Here, none is known.
		const [close, whole] = [redactorLooking(20, []), redactorLooking(Number.POSITIVE_INFINITY, [])];
		const tried = fc.check(
			fc.property(mixture, (text) => close.redact(text) === whole.redact(text)),
			{ numRuns: 400 },
		);
		expect(tried.failed).toBe(true);
	}, 300_000);
});

describe("a long text that is full of hidden characters", () => {
	const crowd = (part: string) => part.repeat(Math.ceil(60_000 / part.length));
	const { redact } = createRedactor({ secrets: ["s3cret-value-abc"], homeDir: "/home/ada" });

	it("loses them, and is redacted as it then shows", () => {
		const text = `${crowd("word\u200B \x1b[31mred\x1b[0m\n")}password = hunt\u200Ber2-and\x1b[0m-more s3cret\u200B-value-abc`;
		const redacted = redact(text);
		expect(redacted.startsWith("word red\nword red\n")).toBe(true);
		for (const gone of ["hunter2", "value-abc", "\u200B", "\x1b"]) expect(redacted).not.toContain(gone);
	});

	it("keeps them where there are few of them", () => {
		const text = `${"word \n".repeat(10_000)}\u200B${"word \n".repeat(10_000)}`;
		expect(redact(text)).toBe(text);
	});
});
