/**
 * What a name says about its value. A password may be any text; a token is random, and a value under its name that
 * looks like a word is none.
 */
export type CredentialName = "password" | "secret" | "token";

const PASSWORDS = new Set([
	"PASSWORD",
	"PASSWD",
	"PASSPHRASE",
	"PASSCODE",
	"PSWD",
	"PSK",
	"MNEMONIC",
	"PASSWORT",
	"KENNWORT",
	"CONTRASENA",
	"SENHA",
]);
/** Too common as words of their own: they need a word before them, as in DB_PASS. */
const SHORT_PASSWORDS = new Set(["PASS", "PWD", "PW", "PHRASE"]);
const TOKENS = new Set([
	"TOKEN",
	"JWT",
	"BEARER",
	"APIKEY",
	"AUTH",
	"AUTHORIZATION",
	"CREDENTIAL",
	"CREDENTIALS",
	"CREDS",
]);
const SHORT_TOKENS = new Set(["PAT", "DSN", "COOKIE", "SALT"]);
const JOINED =
	/(?:(PASSWORD|PASSWD|PASSPHRASE|STOREPASS|KEYPASS|DBPASS|DBPWD|USERPASS|SSHPASS|ROOTPW|REQUIREPASS|MASTERAUTH)|(SECRET)|(?:TOKEN|APIKEY|ACCESSKEY|SECRETKEY|PRIVATEKEY|AUTHKEY|LICENSEKEY|ENCRYPTIONKEY|SIGNINGKEY|CONNECTIONSTRING|CONNSTR))$/;
const SECRET_KEYS = new Set(
	(
		"API ACCESS SECRET PRIVATE AUTH ENCRYPTION ENCRYPT SIGNING MASTER ACCOUNT LICENSE APP APPLICATION SERVICE DEPLOY " +
		"ADMIN CLIENT SHARED HMAC AES STORAGE WEBHOOK JWT SESSION COOKIE ROLE SUBSCRIPTION CONSUMER INTEGRATION INGEST " +
		"WRITE READ RECOVERY DECRYPTION WIFI MANAGEMENT FUNCTION HOST"
	).split(" "),
);
const HARMLESS_KEYS = new Set(
	(
		"CACHE PRIMARY FOREIGN PARTITION SORT PUBLIC PUBLISHABLE IDEMPOTENCY ROUTING REGISTRY OBJECT QUERY ROW INDEX HASH " +
		"LOOKUP SHORTCUT HOT ISSUE PROJECT MAP GROUP ITEM STATE FEATURE ANON"
	).split(" "),
);
/** Words that follow the telling one and do not change it: API_KEY_PROD, SECRET_KEY_BASE, password2. */
const QUALIFIERS = new Set(
	"PROD PRODUCTION DEV DEVELOPMENT STAGING TEST LIVE VALUE BASE BASE64 B64 STRING STR OLD NEW PRIMARY SECONDARY BACKUP PLAIN DATA RAW TEXT DEFAULT".split(
		" ",
	),
);

/** What a name alone says. Of a short password, a key, `passe` and `a`, what stands around them says the rest. */
export type NameKind = CredentialName | "short password" | "key" | "passe" | "a" | "none";

/** A text names few things, and those again and again. */
const knownNames = new Map<string, NameKind>();
const MOST_KNOWN = 2_000;

/** Reads `db.password`, `DB_PASSWORD`, `dbPassword` and `X-Api-Key` alike. */
export function credentialName(name: string): CredentialName | undefined {
	const kind = nameKind(name);
	return kind === "password" || kind === "secret" || kind === "token" ? kind : undefined;
}

export function nameKind(name: string): NameKind {
	let kind = knownNames.get(name);
	if (kind === undefined) {
		kind = credentialKind(name) ?? kindInContext(name.toUpperCase());
		if (knownNames.size >= MOST_KNOWN) knownNames.clear();
		knownNames.set(name, kind);
	}
	return kind;
}

function kindInContext(name: string): NameKind {
	if (SHORT_PASSWORDS.has(name)) return "short password";
	if (name === "KEY") return "key";
	if (name === "PASSE") return "passe";
	return name === "A" ? "a" : "none";
}

function credentialKind(name: string): CredentialName | undefined {
	const words = wordsOf(name);
	if (/(?:^|_)CONN(?:ECTION)?_STR(?:ING)?$/.test(words.join("_"))) return "token";
	while (words.length > 1 && isQualifier(words.at(-1) ?? "")) words.pop();
	const last = words.at(-1) ?? "";
	const before = words.at(-2);
	if (PASSWORDS.has(last) || (before !== undefined && SHORT_PASSWORDS.has(last))) return "password";
	if (last === "PASSE" && before === "DE") return "password";
	if (words.join("_") === "SONAR_LOGIN" || words.join("_").startsWith("PYPI_TOKEN_")) return "token";
	if (last === "SECRET") return "secret";
	if (TOKENS.has(last) || (before !== undefined && SHORT_TOKENS.has(last))) return "token";
	if (last === "KEY") return before !== undefined && isSecretKey(name, before) ? "token" : undefined;
	if (last === "ID" && before === "KEY" && words.at(-3) === "ACCESS") return "token";
	const joined = JOINED.exec(last);
	if (joined === null) return undefined;
	if (joined[1] !== undefined) return "password";
	return joined[2] === undefined ? "token" : "secret";
}

function wordsOf(name: string): string[] {
	return (isAscii(name) ? name : name.normalize("NFD").replace(/\p{M}/gu, ""))
		.replace(/([a-z0-9])([A-Z])/g, "$1_$2")
		.replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
		.toUpperCase()
		.split(/[^A-Z0-9]+/)
		.filter((word) => word !== "")
		.map((word) => word.replace(/^(PASSWORD|TOKEN|SECRET|PASS|KEY|PW)\d+$/, "$1"));
}

const isAscii = (name: string): boolean => !/[^ -~]/.test(name);

function isQualifier(word: string): boolean {
	return QUALIFIERS.has(word) || /^\d+$/.test(word);
}

/** In an environment a `..._KEY` is a credential unless it is known to be another kind of key; in code only if named so. */
function isSecretKey(name: string, before: string): boolean {
	if (SECRET_KEYS.has(before)) return true;
	return !HARMLESS_KEYS.has(before) && /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(name);
}
