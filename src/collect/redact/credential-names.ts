import { isDigit, isOf, WORD_CHAR } from "./characters.ts";
import { DIGITS, isCapital, NO_WORD, numberOfWord, type Word, WordsFromEnd } from "./name-words.ts";

/**
 * What a name says about its value. A password may be any text; a token is random, so a value that looks like a word is not
 * one.
 */
export type CredentialName = "password" | "secret" | "token";

/** What the last word of a name says. */
type WordRole = CredentialName | "short password" | "short token" | "key" | "qualifier";

const ROLES = new Map<Word, WordRole>([[DIGITS, "qualifier"]]);
const areAll = (role: WordRole, words: string): void => {
	for (const word of words.split(" ")) ROLES.set(numberOfWord(word), role);
};
areAll("password", "PASSWORD PASSWD PASSPHRASE PASSCODE PSWD PSK MNEMONIC PASSWORT KENNWORT CONTRASENA SENHA");
/** Too common as single words: they need a word before them, as in DB_PASS. */
areAll("short password", "PASS PWD PW PHRASE");
areAll("secret", "SECRET");
areAll(
	"token",
	"TOKEN TOKENS AUTHTOK PFX P12 JKS KEYSTORE JWT BEARER APIKEY AUTH AUTHORIZATION CREDENTIAL CREDENTIALS CREDS TOTP PEPPER",
);
areAll("short token", "PAT DSN COOKIE SALT OAUTH");
areAll("key", "KEY KEYS");
/** Words that follow the telling one and do not change it: API_KEY_PROD, SECRET_KEY_BASE, password2. */
areAll("qualifier", "PROD PRODUCTION DEV DEVELOPMENT STAGING TEST LIVE VALUE BASE BASE64 B64 STRING STR OLD NEW");
areAll("qualifier", "PRIMARY SECONDARY BACKUP PLAIN DATA RAW TEXT DEFAULT IDENT");

/** Looks backwards from the end of a word, so that the first mismatch ends the search. */
const JOINED =
	/(?<=(PASSWORD|PASSWD|PASSPHRASE|[A-Z0-9]{2}(?<!COM|BY|SUR|TRES|OVER|UNDER|MINI|PG|ASK)PASS|[A-Z]{2}PWD|ROOTPW|PSK|MASTERAUTH)|(SECRET)|(?:TOKEN|APIKEY|ACCESSKEY|SECRETKEY|PRIVATEKEY|AUTHKEY|LICENSEKEY|ENCRYPTIONKEY|SIGNINGKEY|CONNECTIONSTRING|CONNSTR))/y;
const LEAST_JOINED = "DBPWD".length;
/** The last two letters of these, because most words end in other letters. */
const ENDS_JOINED = new Set("RD WD SE SS PW SK TH ET EN EY NG TR".split(" ").map((end) => lastTwo(end, 2)));

function lastTwo(word: string, end: number): number {
	return ((word.charCodeAt(end - 2) & 0x1f) << 5) | (word.charCodeAt(end - 1) & 0x1f);
}

/** Whether a key with that word before it is a secret. */
const SECRET_BY_WORD = new Map<Word, boolean>();
const SECRET_KEYS =
	"API ACCESS SECRET PRIVATE AUTH ENCRYPTION ENCRYPT SIGNING MASTER ACCOUNT LICENSE APP APPLICATION SERVICE DEPLOY " +
	"ADMIN CLIENT SHARED HMAC AES STORAGE WEBHOOK JWT SESSION COOKIE ROLE SUBSCRIPTION CONSUMER INTEGRATION INGEST " +
	"WRITE READ RECOVERY INSTRUMENTATION DECRYPTION DECRYPT WIFI MANAGEMENT FUNCTION FUNCTIONS HOST VALIDATION PRESHARED CRYPT CIPHER SIGN";
for (const word of SECRET_KEYS.split(" ")) SECRET_BY_WORD.set(numberOfWord(word), true);
const HARMLESS_KEYS =
	"CACHE PRIMARY FOREIGN PARTITION SORT PUBLIC PUBLISHABLE IDEMPOTENCY ROUTING REGISTRY OBJECT QUERY ROW INDEX HASH " +
	"LOOKUP SHORTCUT HOT ISSUE PROJECT MAP GROUP ITEM STATE FEATURE ANON DEDUP DEDUPE CONTENT BUILD LOCK CHUNK ASSET FILE " +
	"BLOB LAYER STORE IMAGE NODE BLOCK HEADER COLUMN FIELD UNIQUE TRANSLATION MESSAGE CONFIG SETTING EVENT TAG COMMIT ETAG";
for (const word of HARMLESS_KEYS.split(" ")) SECRET_BY_WORD.set(numberOfWord(word), false);

const [STR, STRING, CONN, CONNECTION] = "STR STRING CONN CONNECTION".split(" ").map((word) => numberOfWord(word));
const [DE, PASSE, A, ID, KEY, ACCESS, HASH] = "DE PASSE A ID KEY ACCESS HASH"
	.split(" ")
	.map((word) => numberOfWord(word));
const [PRIMARY, ENCRYPTION] = "PRIMARY ENCRYPTION".split(" ").map((word) => numberOfWord(word));
const [SONAR, DSONAR, LOGIN, PYPI, TOKEN] = "SONAR DSONAR LOGIN PYPI TOKEN"
	.split(" ")
	.map((word) => numberOfWord(word));

/** What a name alone says. For a short password, a key, `passe` and `a`, the surrounding text says the rest. */
export type NameKind = CredentialName | "short password" | "key" | "any key" | "passe" | "a" | "none";

/** Reads `db.password`, `DB_PASSWORD`, `dbPassword` and `X-Api-Key` alike. */
export function credentialName(name: string): CredentialName | undefined {
	return kindByWords(/[^ -~]/.test(name) ? inAscii(name) : name);
}

/** The kind of a name in ASCII letters. */
export function nameKind(name: string): NameKind {
	const kind = name.length <= LONGEST_IN_CONTEXT ? kindInContext(name) : "none";
	return kind === "none" ? (kindByWords(name) ?? (isAnyKey(name) ? "any key" : "none")) : kind;
}

/** `mapsKey`: a key whose words say neither that it is a secret nor that it is not. */
function isAnyKey(name: string): boolean {
	const words = new WordsFromEnd(name);
	return ROLES.get(words.next()) === "key" && SECRET_BY_WORD.get(words.next()) !== false;
}

const LONGEST_IN_CONTEXT = "phrase".length;

function kindInContext(name: string): NameKind {
	const word = numberOfWord(name);
	const role = ROLES.get(word);
	if (role === "short password" || role === "key") return role;
	if (word === PASSE) return "passe";
	return word === A ? "a" : "none";
}

function kindByWords(name: string): CredentialName | undefined {
	const words = new WordsFromEnd(name);
	let last = words.next();
	let { from, to } = words;
	let role = ROLES.get(last);
	// Most names end in a word that says everything, so the part before it need not be read.
	if (role === "password") return role;
	if (role === "secret" || role === "token") return isOfPypi(name) ? "token" : role;
	let before = words.next();
	if ((last === STR || last === STRING) && (before === CONN || before === CONNECTION)) return "token";
	while (role === "qualifier" && before !== NO_WORD) {
		last = before;
		role = ROLES.get(last);
		({ from, to } = words);
		before = words.next();
	}
	// A flag says it with the word alone: `--pass x`.
	if (role === "password" || (role === "short password" && (before !== NO_WORD || name.startsWith("-"))))
		return "password";
	if (last === PASSE && before === DE) return "password";
	if (last === HASH && ROLES.get(before) === "password") return "token";
	if (last === LOGIN && (before === DSONAR || (before === SONAR && words.next() === NO_WORD))) return "token";
	if (isOfPypi(name)) return "token";
	if (role === "secret" || role === "token") return role;
	if (role === "short token" && before !== NO_WORD) return "token";
	if (role === "key") {
		// `encryption.primary_key`, unlike the primary key of a table
		if (before === PRIMARY && words.next() === ENCRYPTION) return "token";
		return before !== NO_WORD && isSecretKey(name, before) ? "token" : undefined;
	}
	if (last === ID && before === KEY && words.next() === ACCESS) return "token";
	return kindOfJoined(name, from, to);
}

/** The kind of a word such as `dbpass` or `accesskey`. */
function kindOfJoined(name: string, from: number, to: number): CredentialName | undefined {
	if (to - from < LEAST_JOINED || !ENDS_JOINED.has(lastTwo(name, to))) return undefined;
	JOINED.lastIndex = to - from;
	const joined = JOINED.exec(name.slice(from, to).toUpperCase());
	if (joined === null) return undefined;
	if (joined[1] !== undefined) return "password";
	return joined[2] === undefined ? "token" : "secret";
}

/** `pypi-token.pypi`: its first words tell. */
function isOfPypi(name: string): boolean {
	if (name.length < "pypitoken".length) return false;
	let first = 0;
	while (first < name.length && !isOf(WORD_CHAR, name.charCodeAt(first))) first += 1;
	// p and y
	if ((name.charCodeAt(first) | 0x20) !== 0x70 || (name.charCodeAt(first + 1) | 0x20) !== 0x79) return false;
	const words = new WordsFromEnd(name);
	const all: Word[] = [];
	for (let word = words.next(); word !== NO_WORD; word = words.next()) all.unshift(word);
	return all[0] === PYPI && all[1] === TOKEN;
}

/** Letters without their accents; ß as ss. */
const inAscii = (name: string): string =>
	name
		.normalize("NFD")
		.replace(/\p{M}/gu, "")
		.replace(/[^ -~]/gu, (character) => character.toUpperCase().toLowerCase());

/** In an environment a `..._KEY` is a credential unless it is known to be another kind of key; in code only if named so. */
const isSecretKey = (name: string, before: Word): boolean => SECRET_BY_WORD.get(before) ?? isConstant(name);

/** Capitals and digits, with one underscore between two words. */
function isConstant(name: string): boolean {
	if (!isCapital(name.charCodeAt(0))) return false;
	let words = 1;
	for (let at = 1; at < name.length; at += 1) {
		const code = name.charCodeAt(at);
		if (code === 0x5f) words += 1;
		else if (!isCapital(code) && !isDigit(code)) return false;
		if (code === 0x5f && (at === name.length - 1 || name.charCodeAt(at + 1) === 0x5f)) return false;
	}
	return words > 1;
}
