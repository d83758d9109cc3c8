import { digits, ENDS, format, raw, type TokenFormat } from "../token-format.ts";

/** What no single service has: JWTs, the tokens of Discord that resemble them, and signatures of URLs. */
export const OF_NO_SERVICE: readonly TokenFormat[] = [
	// Keys that every program reads as JSON or as three parts
	// Not in the middle of a run of such characters: else each beginning inside it would read the rest of it again. The
	// six characters are those that an escape before the token may end with.
	format("grafana-token", "eyJrIjoi", raw`[A-Za-z0-9]{60,400}={0,2}(?![\w.-])`),
	format("jwt", "eyJ", raw`(?<![\w-]{6}eyJ)[\w-]{10,4000}\.[\w-]{10,8000}(?:\.[\w-]{0,2000}){0,3}`),
	format("jwt", "ZXlK", raw`[A-Za-z0-9+/_-]{60,400}={0,2}`, digits),
	format("discord-token", "M? N? O?", raw`[\w-]{22,26}\.[\w-]{6}\.[\w-]{27,40}${ENDS}`, digits),
	format("discord-token", "mfa.", raw`[\w-]{80,90}`, digits),
	format("signature", "sig=", raw`(?<=[?&;]sig=)[\w%+/=-]{20,200}`, { keep: /^sig=/ }),
	format("signature", "X-Amz-Signature= X-Goog-Signature=", raw`[0-9a-f]{64,600}`, { keep: /^[^=]+=/ }),
	format("token", "X-Amz-Security-Token=", raw`[\w%+/=-]{40,2000}`, { keep: /^[^=]+=/ }),
];
