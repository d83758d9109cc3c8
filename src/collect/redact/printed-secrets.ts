import type { ToolFormat } from "./lines-of-tools.ts";
import { maskOf } from "./mask.ts";
import { isSecretValue, looksChosen, looksMixed, looksRandom, looksStrong } from "./secret-values.ts";

const raw = String.raw;
const NAMED = raw`[\w./-]{0,80}(?:passw|passphrase|secret|token|api_?key|credential|private_?key)[\w./-]{0,40}`;
/** A command whose purpose is to print a secret and nothing else. */
const PRINTS = [
	raw`(?:cat|head|tail|base64)[ \t]{1,4}(?:-\S{1,8} ){0,2}["']?${NAMED}`,
	raw`(?:echo|printenv)[ \t]{1,4}["']?\$?[({]?${NAMED}`,
	raw`(?:wg|openssl|gpg)[ \t]{1,4}(?:genkey|genpsk|rand|--gen-random)\b`,
	raw`(?:op read|pass show|gopass|bw get|lpass show|rbw get|secret-tool lookup|keyring get|pwgen|security find-\w{1,8}-password)[ \t]`,
	raw`(?:vault|aws|az|gcloud|gh|glab|heroku|flyctl|doctl|kubectl|oc|terraform|tofu|pulumi|doppler|infisical|helm)[ \t][^\n]{0,200}?(?:-field[= ]|get-secret-value|--with-decryption|print-(?:access|identity|refresh)-token|auth[: ]token|get-access-token|output -raw|create token|--plain|base64 (?:-d|--decode))`,
].join("|");

/** The content of a file may as well be the name of another one. */
const isNoWord = (value: string): boolean =>
	isSecretValue(value, "password", "quoted") &&
	(looksRandom(value) || (!/[/.]/.test(value) && (looksMixed(value) || looksStrong(value) || looksChosen(value))));

/** In a transcript, the line after the command, if it is one word. */
export const PRINTED_SECRET: ToolFormat = {
	signs: [
		..."cat |head |tail |base64 |echo |printenv |genkey|genpsk|openssl rand|--gen-random|op read |pass show |gopass ".split(
			"|",
		),
		..."bw get |lpass show |rbw get |secret-tool |keyring get |pwgen |security find-|-field|get-secret-value".split(
			"|",
		),
		..."--with-decryption|print-access-|print-identity-|print-refresh-|auth token|auth:token|get-access-token".split(
			"|",
		),
		..."output -raw|create token|--plain".split("|"),
	],
	pattern: new RegExp(raw`(\b(?:${PRINTS})[^\n]{0,200}\n)([^\s"'\x60<>$]{6,4000})(?=[ \t]{0,4}(?:\r?\n|$))`, "gi"),
	mask: maskOf("secret"),
	isSecret: isNoWord,
};
