import { credentialName } from "./credential-names.ts";
import { MIN_SECRET_LENGTH } from "./literals.ts";
import { isDummy, isPath } from "./secret-values.ts";

/** Names with these endings tell where a credential is, or something about it, and do not hold it. */
const ABOUT =
	/(?:FILE|PATH|DIR|SOCK|URL|URI|HOST|PORT|USER|USERNAME|NAME|TYPE|MODE|METHOD|ENABLED|TTL|HELPER|PROVIDER|REGION)$/i;
const PUBLIC = /PUBLIC_KEY|PUBLISHABLE|TOKENIZ/i;
const URL_USERINFO = /\b[a-z][a-z0-9+.-]*:\/\/([^\s/?#@]*)@/gi;
const CONNECTION_PAIR = /(?:password|pwd|accountkey|sharedaccesskey)=([^;\s]+)/gi;

/** `name=value,name=value`, with which trace collectors authorize. The names vary by vendor. */
const HEADERS = /^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?HEADERS$/;

/** The literal secrets in an environment. */
export function environmentSecrets(env: Record<string, string | undefined>): string[] {
	return Object.entries(env).flatMap(([name, value = ""]) => {
		const inside = [...secretsInside(value), ...(HEADERS.test(name) ? secretsInHeaders(value) : [])];
		return isCredentialVariable(name) && isLiteralSecret(value) ? [value, ...inside] : inside;
	});
}

/**
 * A literal is masked wherever it occurs, even inside words. So it must be something that does not occur by chance: not a
 * word, a number, a path, a web address or a mail address.
 */
export function isLiteralSecret(value: string): boolean {
	const text = value.trim();
	if (text.length < MIN_SECRET_LENGTH || isDummy(text) || isPath(text)) return false;
	if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^[\w.+-]+@[\w-]+\.[\w.-]+$/.test(text)) return false;
	return !isPlainWords(text) && !/^[\d.,:+-]+$/.test(text);
}

/** Passwords in URLs and connection strings, whatever the variable is called. */
function secretsInside(value: string): string[] {
	const userinfos = [...value.matchAll(URL_USERINFO)].flatMap(([, userinfo = ""]) => {
		const colon = userinfo.indexOf(":");
		const secret = colon === -1 ? userinfo : userinfo.slice(colon + 1);
		return [secret, decoded(secret)];
	});
	const pairs = [...value.matchAll(CONNECTION_PAIR)].map(([, password = ""]) => password);
	return [...userinfos, ...pairs].filter(isLiteralSecret);
}

/** Each value as written and as sent, with and without its scheme. */
function secretsInHeaders(headers: string): string[] {
	return headers
		.split(",")
		.map((pair) => pair.slice(pair.indexOf("=") + 1).trim())
		.flatMap((value) => [value, decoded(value)])
		.flatMap((value) => [value, value.replace(/^[A-Za-z]+ +/, "")])
		.filter(isLiteralSecret);
}

function isCredentialVariable(name: string): boolean {
	if (ABOUT.test(name) || PUBLIC.test(name)) return false;
	return (
		credentialName(name.toUpperCase() === name ? name : name.replace(/^npm_config_/, "")) !== undefined ||
		isPartOfName(name)
	);
}

/** COOKIE, PRIVATE, DSN and the like count as a part of a variable's name; in text they would be too common. */
function isPartOfName(name: string): boolean {
	return /(?:^|[_.-])(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|COOKIE|PRIVATE|DSN|CONNECTION_STRING|CONN_STR|PAT|AUTH)(?:[_.-]|$)/i.test(
		name,
	);
}

function isPlainWords(text: string): boolean {
	return /^[A-Za-z]?[a-z]{0,15}$|^[A-Z]{1,16}$|^[A-Za-z]{1,12}(?:[-_ .][A-Za-z]{1,12}){0,3}$/.test(text);
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		// Not percent-encoded after all; the text itself is already in the list.
		return text;
	}
}
