/** The command that makes a pi process report which providers some extension files register. */
export const PROVIDERS_COMMAND = "pi-geon-providers";

/** The result for one extension file. */
export type ProvidersOf = { file: string } & ({ loading: true } | { providers: string[] } | { error: string });

/** A separate pipe for the answers, because extensions may print while they load. */
export const ANSWERS_FD = 3;

export const encodeFiles = (files: readonly string[]): string =>
	Buffer.from(JSON.stringify(files)).toString("base64url");

export const decodeFiles = (encoded: string): string[] =>
	JSON.parse(Buffer.from(encoded, "base64url").toString()) as string[];
