import { maskOf } from "./mask.ts";
import { isPlaceholder, isSecretValue, looksRandom } from "./secret-values.ts";

const SCHEMES = "Bearer|Basic|Token|ApiKey|Api-Key|Digest|Negotiate|NTLM|Bot|Splunk|SSWS|GenieKey";
const HEADER = new RegExp(
	String.raw`((?<![A-Za-z])(?:proxy-)?authorization\\{0,3}["']?[ \t]{0,4}[:=,][ \t]{0,4}\\{0,3}["'\x60]?(?:(?:${SCHEMES})[ \t]{1,4})?)([\w.~+/=:%-]{8,8000})`,
	"gi",
);
const SCHEME_BEFORE = /[A-Za-z][ \t]+$/;
const BARE_SCHEME = /\b((?:Bearer|Basic)(?:[ \t]{1,4}|["'],[ \t]{0,4}["']))([\w.~+/=-]{12,8000})/gi;
const COOKIES = /(?:set-)?cookie["']?(?:,\s{0,40}["']value["'])?[ \t]{0,4}[:=][ \t]{0,4}["'`]?[^\r\n"'`]{1,8000}/gi;
const COOKIE_PAIR = /([\w.$-]{1,100})=([^\s;,]{8,4000})/g;
const SESSION_COOKIE = /sess|sid$|auth|token|csrf|xsrf|jwt|remember|login|secret/i;
const URL_PASSWORD = /(:\/\/[^\s/?#:@"'<>`]{0,100}:)(?!\d{1,5}[?#])([^\s/"'<>`]{1,300})(?=@)/g;
const URL_TOKEN = /(:\/\/)([\w-]{20,300})(?=@)/g;
/** In a statement: prose says "identified by", too. */
const IDENTIFIED_BY =
	/((?:\bIDENTIFIED|(?<=\b(?:create|alter) user\b[^;]{0,200})\bidentified) (?:(?:WITH|with) [\w"'-]{1,40} )?(?:BY|by)[ \t]{1,4}["']?(?!["'])|\b(?:PASSWORD FOR|password for) [^\n=]{1,80}=[ \t]{0,4}(?:(?:PASSWORD|password)\()?["'])([^\s"']{4,200})/g;
const ORACLE =
	/(\b(?:thin:|(?:sqlplus|sqlldr|impdp|expdp|imp|exp|rman|sql)[ \t]{1,4})[\w.]{1,40}\/)([^\s@"'/]{4,100})(?=@)/g;
const SIGNED = /((?:\bresponse=["']|\bSignature=))([0-9a-f]{32,128})(?![0-9a-f])/g;
/** Whole: the link to a playground has a program there. */
const AUTHORIZATION_CODE = /([?&]code=)((?:[\w./~-]|%2F){20,400})(?![\w./~%+=-])/g;
const PGPASS = /^([\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:)([^\s:]{4,100})$/gm;

/** Masks credentials that go over the wire: Authorization headers, session cookies, passwords in URLs and commands. */
export function maskHttpCredentials(text: string): string {
	return text
		.replace(URL_PASSWORD, (match, before: string, password: string) =>
			isPlaceholder(password) ? match : before + maskOf("password"),
		)
		.replace(URL_TOKEN, (match, before: string, token: string) =>
			looksRandom(token) ? before + maskOf("token") : match,
		)
		.replace(HEADER, (match, before: string, value: string) =>
			!isPlaceholder(value) &&
			((SCHEME_BEFORE.test(before) && /\d/.test(value)) || looksRandom(value) || isBasic(value))
				? before + maskOf("authorization")
				: match,
		)
		.replace(BARE_SCHEME, (match, before: string, value: string) =>
			(/^basic/i.test(before) ? isBasic(value) : looksRandom(value)) ? before + maskOf("authorization") : match,
		)
		.replace(COOKIES, maskCookies)
		.replace(IDENTIFIED_BY, (match, before: string, password: string) =>
			isSecretValue(password, "password", "quoted") ? before + maskOf("password") : match,
		)
		.replace(ORACLE, (match, before: string, password: string) =>
			isPlaceholder(password) ? match : before + maskOf("password"),
		)
		.replace(SIGNED, `$1${maskOf("signature")}`)
		.replace(AUTHORIZATION_CODE, (match, before: string, code: string) =>
			looksRandom(code) ? before + maskOf("code") : match,
		)
		.replace(PGPASS, (match, before: string, password: string) =>
			isPlaceholder(password) ? match : before + maskOf("password"),
		);
}

/** `user:password` in base64; anything else that decodes to text with a colon is words. */
function isBasic(value: string): boolean {
	// The first six bits are those of a printable character: this mostly says no, and needs no copy.
	if (/^[A-Hg-z0-9+/]/.test(value)) return false;
	return /^[\x20-\x7e]+:[\x20-\x7e]*$/.test(Buffer.from(value, "base64").toString("latin1"));
}

function maskCookies(header: string): string {
	return header.replace(COOKIE_PAIR, (pair, name: string, value: string) =>
		!isPlaceholder(value) && (SESSION_COOKIE.test(name) || (value.length >= 16 && looksRandom(value)))
			? `${name}=${maskOf("cookie")}`
			: pair,
	);
}
