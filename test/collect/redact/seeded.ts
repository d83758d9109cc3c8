/** Characters for made-up secrets: built at run time, so that no scanner finds a secret in this repository. */
export interface Seeded {
	pick(alphabet: string, length: number): string;
}

export const LOWER = "abcdefghijklmnopqrstuvwxyz";
export const UPPER = LOWER.toUpperCase();
export const DIGIT = "0123456789";
export const HEX = "0123456789abcdef";
export const ALNUM = LOWER + UPPER + DIGIT;
export const BASE64 = `${ALNUM}+/`;
export const BASE64URL = `${ALNUM}-_`;

/** mulberry32: small, and the same on every machine. */
export function seeded(seed: number): Seeded {
	let state = seed;
	const next = (): number => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
	return {
		pick: (alphabet, length) =>
			Array.from({ length }, () => alphabet.charAt(Math.floor(next() * alphabet.length))).join(""),
	};
}

export function uuid(random: Seeded): string {
	return [8, 4, 4, 4, 12].map((length) => random.pick(HEX, length)).join("-");
}

export function lines(body: string, width: number): string {
	return (body.match(new RegExp(`.{1,${width}}`, "g")) ?? []).join("\n");
}
