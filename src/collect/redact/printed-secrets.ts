import { maskOf } from "./mask.ts";
import { Rewriting } from "./rewriting.ts";
import { isSecretValue, looksChosen, looksMixed, looksRandom, looksStrong } from "./secret-values.ts";

const raw = String.raw;
const TELLING_NAME = raw`[\w./-]{0,80}(?:passw|passphrase|secret|token|api_?key|credential|private_?key)[\w./-]{0,40}`;
const VAULT_TOOLS = raw`op read|pass show|gopass|bw get|lpass show|rbw get|secret-tool lookup|keyring get|pwgen|security find-\w{1,8}-password`;
const CLOUD_TOOLS = raw`vault|aws|az|gcloud|gh|glab|heroku|flyctl|doctl|kubectl|oc|terraform|tofu|pulumi|doppler|infisical|helm`;
/** What tells such a program to print a secret and nothing else. */
const TO_PRINT = raw`-field[= ]|get-secret-value|--with-decryption|print-(?:access|identity|refresh)-token|auth[: ]token|get-access-token|output -raw|create token|--plain|base64 (?:-d|--decode)`;
const COMMAND = new RegExp(
	raw`\b(?:cat|head|tail|base64|echo|printenv|wg|openssl|gpg|${VAULT_TOOLS}|${CLOUD_TOOLS})[ \t]`,
	"gi",
);
const PRINTS_SECRET = new RegExp(
	[
		raw`\b(?:cat|head|tail|base64)[ \t]{1,4}(?:-\S{1,8} ){0,2}["']?${TELLING_NAME}`,
		raw`\b(?:echo|printenv)[ \t]{1,4}["']?\$?[({]?${TELLING_NAME}`,
		raw`\b(?:wg|openssl|gpg)[ \t]{1,4}(?:genkey|genpsk|rand|--gen-random)\b`,
		raw`\b(?:${VAULT_TOOLS})[ \t]`,
		raw`\b(?:${CLOUD_TOOLS})[ \t][^\n]{0,200}?(?:${TO_PRINT})`,
	].join("|"),
	"i",
);
/** A longer line is not what somebody typed. */
const LONGEST_COMMAND_LINE = 400;
const ONE_WORD = /([^\s"'`<>$]{6,4000})[ \t]{0,4}(?=\r?\n|$)/y;

/** In a transcript, masks what a command printed whose purpose is to print a secret: the line after it, if it is one word. */
export function maskPrintedSecrets(text: string): string {
	const rewriting = new Rewriting(text);
	COMMAND.lastIndex = 0;
	for (let command = COMMAND.exec(text); command !== null; command = COMMAND.exec(text)) {
		const limit = command.index + LONGEST_COMMAND_LINE;
		const found = text.indexOf("\n", command.index);
		if (found === -1) break;
		// One look at each line, however many such words it has.
		COMMAND.lastIndex = found;
		if (found > limit || !PRINTS_SECRET.test(text.slice(command.index, found))) continue;
		ONE_WORD.lastIndex = found + 1;
		const value = ONE_WORD.exec(text)?.[1];
		if (value !== undefined && isPrintedSecret(value))
			rewriting.replace(found + 1, found + 1 + value.length, PRINTED_MASK);
	}
	return rewriting.result();
}

const PRINTED_MASK = maskOf("secret");

/** The content of a file may as well be the name of another one. */
const isPrintedSecret = (value: string): boolean =>
	isSecretValue(value, "password", "quoted") &&
	(looksRandom(value) || (!/[/.]/.test(value) && (looksMixed(value) || looksStrong(value) || looksChosen(value))));

/** A text without any of these has no such command. */
export const SIGNS_OF_PRINTING: readonly string[] = [
	..."cat |head |tail |base64 |echo |printenv |genkey|genpsk|openssl rand|--gen-random|op read |pass show ".split("|"),
	..."gopass |bw get |lpass show |rbw get |secret-tool |keyring get |pwgen |security find-|-field".split("|"),
	..."get-secret-value|--with-decryption|print-access-|print-identity-|print-refresh-|auth token".split("|"),
	..."auth:token|get-access-token|output -raw|create token|--plain".split("|"),
];
