import fc from "../helpers/fast-check.ts";

/** The same inputs in every run. A failure prints seed and path, with which fast-check plays it again. */
export const seeded = (numRuns: number) => ({ seed: 20_261, numRuns });

const nasty = [
	"\0",
	"\ufeff",
	"\r\n",
	"\r",
	"\u2028",
	"\u202e",
	"\x1b[2J",
	"---\n",
	"{",
	"[[[[",
	"&a [*a]",
	"*b",
	"!!js/function x",
	"__proto__: {}\n",
	"\t",
	"%YAML 9.9\n",
	"? ",
	"|\n",
	'"',
	"'",
	"//",
	"/*",
];

const bytes = (text: string): Buffer => Buffer.from(text, "utf8");
const noise = fc.oneof(
	fc.uint8Array({ maxLength: 60 }).map((part) => Buffer.from(part)),
	fc.constantFrom(...nasty).map(bytes),
	fc.string({ unit: "binary", maxLength: 30 }).map(bytes),
);

/** What can happen to a file that was right once: cut off, bytes changed, pieces put in, doubled, overwritten with zeros. */
export const damaged = (original: string): fc.Arbitrary<Buffer> => {
	const whole = bytes(original);
	const at = fc.nat(whole.length);
	return fc.oneof(
		at.map((end) => whole.subarray(0, end)),
		fc.tuple(at, noise).map(([from, piece]) => Buffer.concat([whole.subarray(0, from), piece, whole.subarray(from)])),
		fc.tuple(at, noise).map(([from, piece]) => {
			return Buffer.concat([whole.subarray(0, from), piece, whole.subarray(from + piece.length)]);
		}),
		fc.tuple(at, at).map(([from, to]) => Buffer.concat([whole.subarray(0, from), whole.subarray(to)])),
		fc.tuple(at, fc.nat(200)).map(([from, length]) => {
			return Buffer.concat([whole.subarray(0, from), Buffer.alloc(length), whole.subarray(from + length)]);
		}),
		fc.array(noise, { maxLength: 12 }).map((parts) => Buffer.concat(parts)),
	);
};
