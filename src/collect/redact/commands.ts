import { isQuote } from "./characters.ts";
import { maskOf } from "./mask.ts";
import { Rewriting } from "./rewriting.ts";
import { isSecretValue, looksStrong } from "./secret-values.ts";

const raw = String.raw;
const VALUE = raw`("[^"\n]{3,200}"|'[^'\n]{3,200}'|[^\s"'|;<>-][^\s"'|;<>]{2,200})`;
const afterFlag = (flags: string): string => raw`(?<=[ \t])(?:${flags})${VALUE}`;

/** What of a program's arguments is a password. Flags with a telling name are found like any other name. */
const PROGRAMS: [programs: string, argument: string][] = [
	["mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlsh mariadb mariadb-dump mariadb-admin", afterFlag("-p")],
	["redis-cli keydb-cli valkey-cli", afterFlag(raw`-a[ \t]+|--pass[ \t=]+`)],
	["sshpass", afterFlag(raw`-p[ \t]*`)],
	[
		"curl wget http https xh httpie",
		afterFlag(raw`(?:-u|-U|-a|--user|--proxy-user|--auth)[ \t=]*["']?[\w.@+%-]{0,80}:`),
	],
	["docker podman nerdctl helm skopeo buildah oras crane", raw`login[^\n]{0,120}?[ \t]-p[ \t=]*${VALUE}`],
	[
		"az oc cf twine argocd cypher-shell cqlsh mongo mongosh mongodump mongorestore mongoimport influx svn",
		afterFlag(raw`-p[ \t]+`),
	],
	[
		"sqlcmd bcp tsql osql isql ipmitool mosquitto_pub mosquitto_sub zip unzip ssh-keygen",
		afterFlag(raw`-[PNU][ \t]*(?<=-P[ \t]*|-N[ \t]*)`),
	],
	["7z 7za unrar rar", afterFlag("-p")],
	["ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd", afterFlag(raw`-w[ \t]*`)],
	["smbclient rpcclient smbmap", afterFlag(raw`-U[ \t]*["']?[\w.\\/-]{1,60}%`)],
	[
		"net",
		raw`(?<=[ \t])(?:-U[ \t]*["']?[\w.\\/-]{1,60}%|use[ \t]+(?:\S{1,4}[ \t]+)?\\{2,4}\S{1,80}[ \t]+(?:/\S{1,60}[ \t]+){0,3}(?!/))${VALUE}`,
	],
	["sudo", raw`^sudo[ \t]+(?:-[A-Za-z]{1,4}[ \t]+){0,2}-[A-Za-z]{0,4}S\b[^\n<]{0,100}<<<[ \t]*${VALUE}`],
	["poetry", raw`config[ \t]+http-basic\.\S{1,60}[ \t]+\S{1,60}[ \t]+${VALUE}`],
	["lftp", afterFlag(raw`-u[ \t]*[\w.@-]{1,60},`)],
	["openssl", afterFlag(raw`(?:-pass|-passin|-passout)[ \t]+["']?pass:|-k[ \t]+`)],
	["xfreerdp wlfreerdp rdesktop mstsc", afterFlag(raw`/p:|-p[ \t]+`)],
	["htpasswd", raw`-[a-zA-Z]{0,8}b[a-zA-Z]{0,8}[ \t]+\S{1,100}[ \t]+\S{1,60}[ \t]+${VALUE}`],
	["rabbitmqctl", raw`(?:add_user|change_password)[ \t]+\S{1,60}[ \t]+${VALUE}`],
	["wpa_passphrase", raw`wpa_passphrase[ \t]+\S{1,60}[ \t]+${VALUE}`],
	["doctl hcloud linode-cli", afterFlag(raw`-t[ \t]+|--access-token[ \t=]+`)],
	["ngrok", raw`(?:add-authtoken|authtoken)[ \t]+${VALUE}`],
	["cargo vault", raw`login[ \t]+(?!-)${VALUE}`],
	["security", afterFlag(raw`-w[ \t]+`)],
	["gh glab", raw`(?:secret|variable) set[ \t]+\w{1,80}[^\n]{0,80}?(?:--body|-b|--value|-v)[ \t=]+${VALUE}`],
	["dotnet", raw`user-secrets set[ \t]+\S{1,100}[ \t]+${VALUE}`],
	["ConvertTo-SecureString", raw`ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?${VALUE}`],
	[
		"echo printf",
		raw`(?:echo|printf)[ \t]+(?:-n[ \t]+|["']%s["'][ \t]+)?(?:["']?\w{1,40}:)?${VALUE}[ \t]*\|[^\n]{0,60}?(?:--password-stdin|--with-token|--stdin|sudo -S|chpasswd|kinit|cryptsetup)`,
	],
];
/** Calls that take a user and a password as their last two arguments. */
const CALLS =
	"PDO mysqli mysqli_connect getConnection connect login authenticate SetBasicAuth HTTPBasicAuth BasicAuth NetworkCredential UsernamePasswordCredentials basicAuth basic_auth";
const QUOTED_ARGUMENT = raw`(["'][^"'\n]{6,200}["'])`;
const LAST_ARGUMENT = raw`\((?:[^()\n]{0,200},[ \t]*)?["'][^"'\n]{1,80}["'],[ \t]*${QUOTED_ARGUMENT}[ \t]*[,)]`;

const PATTERNS = new Map(
	[...PROGRAMS, [CALLS, LAST_ARGUMENT] as const].flatMap(([programs, argument]) => {
		const pattern = argumentPattern(argument, argument.includes(VALUE) ? VALUE : QUOTED_ARGUMENT);
		return programs.split(" ").map((program): [string, RegExp] => [program, pattern]);
	}),
);
/** What stands before the value is a group of its own and says where the value begins: the flag `d` is slow. */
function argumentPattern(argument: string, value: string): RegExp {
	const [before, after] = argument.split(value);
	return new RegExp(`(${before})${value}${after}`, "g");
}

const anyOf = (names: string[]): string => names.sort((a, b) => b.length - a.length).join("|");
const PROGRAM = new RegExp(
	raw`(?<![\w-])(?:(?:${anyOf(PROGRAMS.flatMap(([programs]) => programs.split(" ")))})(?=[ \t])|(?:${anyOf(CALLS.split(" "))})(?=\())`,
	"g",
);
/** A command ends with its line. Nothing after so many characters counts as its argument. */
const MAX_COMMAND = 400;
/** How far a command may reach beyond the name of another program in it, as in `echo x | docker login` and `sudo -S docker ps <<< x`. */
const REACH = 100;
/** Programs whose arguments may be anything: only what cannot be a word counts. */
const NEEDS_PROOF = /^(?:echo|printf|connect|login|authenticate|security|http|https|PDO|getConnection|cargo|vault)$/;

/** Masks passwords in the arguments of programs that take them in a short flag, and of calls that take them by position. */
export function maskCommands(text: string): string {
	const rewriting = new Rewriting(text);
	PROGRAM.lastIndex = 0;
	let program = PROGRAM.exec(text);
	while (program !== null) {
		const next: RegExpExecArray | null = PROGRAM.exec(text);
		const from = Math.max(rewriting.done, program.index);
		const reach = /^(?:echo|printf|sudo)$/.test(program[0]) ? REACH : 0;
		const afterNext = next === null ? text.length : next.index + reach;
		const secret = argumentOf(program[0], commandAt(text, from, afterNext));
		if (secret !== undefined) rewriting.replace(from + secret.from, from + secret.to, maskOf("password"));
		program = next;
	}
	return rewriting.result();
}

/** To the next program, so that no text is read for many of them; the name of a program may be an argument of another. */
function commandAt(text: string, from: number, afterNext: number): string {
	const line = text.slice(from, Math.min(afterNext, from + MAX_COMMAND));
	const lineEnd = line.search(/[^\\]\n/);
	return lineEnd === -1 ? line : line.slice(0, lineEnd + 1);
}

function argumentOf(program: string, command: string): { from: number; to: number } | undefined {
	const pattern = PATTERNS.get(program);
	if (pattern === undefined) return undefined;
	pattern.lastIndex = 0;
	for (let match = pattern.exec(command); match !== null; match = pattern.exec(command)) {
		const [, before = "", written = ""] = match;
		const from = match.index + before.length;
		const to = from + written.length;
		const quoted = isQuote(command.charCodeAt(from)) ? 1 : 0;
		const value = command.slice(from + quoted, to - quoted);
		const enough = NEEDS_PROOF.test(program) ? looksStrong(value) || isSecretValue(value, "token", "bare") : true;
		if (enough && isSecretValue(value, "password", "quoted")) return { from: from + quoted, to: to - quoted };
	}
	return undefined;
}
