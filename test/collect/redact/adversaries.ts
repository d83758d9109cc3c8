import { secretShapes } from "./secret-shapes.ts";
import { ALNUM, LOWER, seeded, UPPER } from "./seeded.ts";

/** Texts that are made to be slow. Each is repeated for as long as it has to be. */
export const adversaries = (): Set<string> =>
	new Set([...repeated(), ...otherNames(), ...setApart(), ...otherTokens()]);

/** The beginnings of every pattern, and what stands in the middle of one, again and again. */
export function repeated(): string[] {
	const parts = [
		"a",
		"-",
		"_",
		".",
		"=",
		'"',
		"\\",
		"\n",
		" ",
		"eyJ",
		"-eyJa",
		"eyJaaaaaaaaaaaaa.",
		"password",
		"password=",
	];
	parts.push("password: ", '"password":"', "key=", "-----BEGIN PRIVATE KEY-----", "://", "://a:", "://a:b@", "Bearer ");
	parts.push(
		"Authorization: ",
		"cookie: a=",
		"curl -u a",
		"\u001b[0;",
		"%3D",
		"\\n",
		"    at x\n",
		'  File "x", line 1\n',
	);
	parts.push(
		"/home/al",
		"-I/home/al",
		"Private-Lines: 1\n",
		"1Q~",
		"1:AA",
		".atlasv1.",
		"0-us1",
		"[redacted",
		"<password>",
	);
	parts.push(
		..."pass pwd pw= psk secret token key auth cred jwt pat= dsn bearer salt mnemonic phrase connstr".split(" "),
	);
	parts.push("x-api-key: ", "auth:", "token=$", "token ", "api_key ", "secret,", "password is ", "password: |\n  ");
	parts.push("password=hunter22 ", "password=hunter22\n", "PASSWORD=hunter22;", '"--password", ', "- name: X_TOKEN\n");
	parts.push(
		"{'name': 'X_KEY', 'value': '",
		'variable "token" { ',
		"ENV X_TOKEN ",
		"| token | ",
		"token: str =",
		"token(",
	);
	parts.push(
		"mysql -p",
		"curl -u a:",
		"docker login -p ",
		"echo a | ",
		"connect('a', '",
		"LS0tLS1CRUdJTi",
		"MIIE/+a=\n",
	);
	parts.push(
		"-----END PRIVATE KEY-----",
		"-----BEGIN PRIVATE KEY-----\n",
		"BEGIN PRIVATE KEY",
		'"kty" "d":"',
		"sk-",
		"sk-ant-",
	);
	parts.push(
		"ghp_",
		"acme_live_",
		"x_",
		"x-",
		"A3-",
		"$2a$",
		"/home/b/",
		"C:\\Users\\b\\",
		"é",
		"😀",
		"'",
		"`",
		"\r\n",
		"\t",
	);
	parts.push(`htpasswd -${"b".repeat(380)}\n`);
	parts.push(
		"jwt:",
		"JWT:",
		"secret=",
		"API_KEY=",
		"API Key: ",
		"DB_PASS ",
		"pw':'",
		"'pw':'",
		'"pw":"a",',
		"pw=a1!aaaaa ",
	);
	parts.push(
		'phrase="',
		"mnemonic('",
		"mnemonic=hunter22 ",
		"pswd:hunter22,",
		"auth?=",
		"senha ",
		"key API ",
		"--password:",
	);
	parts.push("echo ", "token -p", 'password := "xfij', "az -p a1!bcdef ", "wpa_passphrase -P a");
	for (const end of [" ", ","]) parts.push(`"value":"abcdefgh","key":"password"${end}`);
	parts.push(
		'{"id":"aB3dE5gH7jK9","n":12},',
		"const a=b(c,d);",
		"aB3dE5gH7",
		"\\u0041",
		"\\u003d",
		"-----BEGIN ",
		"[redacted:password]",
	);
	for (const { text, secret } of secretShapes()) {
		parts.push(text.startsWith("The value is ") ? `-${secret.slice(0, 10)}` : text.slice(0, 17));
	}
	return parts;
}

const LONG_ENOUGH = 3_000;

/** Names of which each is another one, so that nothing that is remembered of one helps with the next. */
export function otherNames(): string[] {
	const random = seeded(9);
	const named = (letters: string, rest: string): string =>
		Array.from({ length: LONG_ENOUGH }, () => `${random.pick(letters, 3)}${rest}`).join("");
	return [
		...["pw", "Pw", "-pw", "_pw", "token", "_key"].flatMap((name) =>
			["=", ":", " ", "':'", "("].map((sign) => named(LOWER, `${name}${sign}`)),
		),
		...["_KEY", "_pw", "Pw"].flatMap((name) =>
			["\t", " ", " = ", ": ", '="', "': '", ",", "\n", "?="].map((sign) => named(UPPER, `${name}${sign}`)),
		),
	];
}

/** Hidden characters in every line, so that no part of the text is read only once. */
export function hiddenEverywhere(): string[] {
	const hidden = ["\u200B", "\u001B[0m", "\u0000", "\u202E", "\uFE0F", "\u001B]0;a\u0007"];
	return ["pw=", "pw':'", "senha ", "api_key ", "password: ", "pw=a1!aaaaa "].flatMap((part) =>
		hidden.map((character) => `${part.repeat(8)}${character}`),
	);
}

/** Hidden characters here and there in a text of many lines: only what stands around them is read again. */
export function hiddenHereAndThere(): string[] {
	return ["pw=", "pw':'", "senha ", "api_key ", "password: "].map(
		(part) => `${`${part.repeat(8)}it is so.\n`.repeat(400)}\u001B[0m\u200B\n`,
	);
}

/** Arguments that are masked, and set apart what stands around them. */
export function maskedArguments(): string[] {
	return [
		"7z -pauthor: ",
		"API key: psk=thin:a/bcde@",
		"passe a_salt=-token\n- a\nopenssl -k a.dsn=",
		"openssl -k sk-passe token=!a ",
		"thin:a/bcde@",
		"id=token,thin:a/bcde@\ncookie: --token ",
		"tokenize(curl -u a:b zip -N ",
		"sshpass -pa",
		`${"sshpass -pa".repeat(5)}\n`,
		`${"wpa_passphrase -P a".repeat(30)}\n`,
		"echo abc|sudo -S ",
	];
}

/** Values that are masked and may set apart what stands around them, far enough from each other to have all of it read again. */
export function setApart(): string[] {
	return ["password is a1!aaaaa ", "A_PW=a1!aaaaa;B=", "?pw=a1!aaaaa&"].flatMap((value) =>
		["pw=", "senha ", "api_key ", "pw':'"].map((part) => `${part.repeat(250)}${value}`),
	);
}

/** Words that begin like a token, and continue in too many ways to be known. */
export function otherTokens(): string[] {
	const random = seeded(10);
	return ["pat", "key-", "sk-", "M", "api_", "2"].flatMap((beginning) =>
		[" ", "-", "/"].flatMap((sign) =>
			[3, 21, 31].map((length) =>
				Array.from({ length: LONG_ENOUGH }, () => `${beginning}${random.pick(ALNUM, length)}${sign}`).join(""),
			),
		),
	);
}
