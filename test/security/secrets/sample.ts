/** A made-up secret in the text that it is found in. */
export interface Sample {
	name: string;
	text: string;
	/** Must not be in the output, and neither may any 12 characters of it in a row. */
	secret: string;
	/** Must still be in the output. */
	keep?: string;
}

/** Text that looks like a secret and is not one. It must come back unchanged. */
export interface LookAlike {
	name: string;
	text: string;
}

/** A secret leaks if twelve characters of it in a row are left. */
export function leaks(output: string, secret: string): boolean {
	const window = Math.min(12, secret.length);
	for (let at = 0; at + window <= secret.length; at += 1) {
		if (output.includes(secret.slice(at, at + window))) return true;
	}
	return false;
}

/** Places in which a token stands alone: no name beside it says what it is. */
const CARRIERS: ((token: string) => string)[] = [
	(token) => `The value is ${token} and nothing else.`,
	(token) => `Found \`${token}\` in the second file.`,
	(token) => `{"line": 12, "match": "${token}"}`,
	(token) => `config/app.ts:14:  init('${token}');`,
	(token) => `- ${token}\n- the next entry`,
	(token) => `2026-01-02 03:04:05 INFO used ${token}, took 12 ms`,
	(token) => `<li>${token}</li>`,
	(token) => `echo ${token} | tool`,
];

/** One sample a token, each in the next of the carriers. */
export function bare(tokens: [name: string, token: string][]): Sample[] {
	return tokens.map(([name, secret], at) => ({
		name,
		secret,
		text: (CARRIERS[at % CARRIERS.length] ?? String)(secret),
	}));
}

/** Samples from a list: `§` in a text stands for the secret, and the last part must stay. */
export function filled(samples: [name: string, secret: string, text: string, keep?: string][]): Sample[] {
	return samples.map(([name, secret, text, keep]) => ({
		name,
		secret,
		text: text.replace("§", () => secret),
		...(keep !== undefined && { keep }),
	}));
}
