import { DASHED, isQuote, startOf } from "./characters.ts";
import { MASKED, maskOf } from "./mask.ts";
import { Rewriting } from "./rewriting.ts";
import { isSecretValue, looksChosen, looksMixed, looksStrong } from "./secret-values.ts";

const raw = String.raw;
const VALUE = raw`("[^"\n]{3,200}"|'[^'\n]{3,200}'|[^\s"'|;<>-][^\s"'|;<>]{2,200})`;
/** Between a flag and its value, including in a list of arguments. */
const GAP = raw`(?:[ \t]+|["'],[ \t]*(?=["']))`;
const afterFlag = (flags: string): string => raw`(?<=[ \t"'])(?:${flags})${VALUE}`;

/** The arguments of programs that are passwords. Flags with a telling name are found like any other name. */
const PROGRAMS: [programs: string, argument: string][] = [
	["mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlsh mariadb mariadb-dump mariadb-admin", afterFlag("-p")],
	["redis-cli keydb-cli valkey-cli", afterFlag(raw`-a${GAP}|--pass(?:=|${GAP})`)],
	["sshpass", afterFlag(raw`-p[ \t]*`)],
	[
		"curl wget http https xh httpie",
		afterFlag(
			raw`(?:-u|-U|-a|--user|--proxy-user|--auth)[ \t=]*["']?[\w.@+%-]{0,80}:|(?:-b|--cookie)[ \t=]*["']?[\w.-]{1,60}=|-A[ \t]+bearer[ \t]+-a[ \t]+`,
		),
	],
	["docker podman nerdctl helm skopeo buildah oras crane", raw`login[^\n]{0,120}?[ \t]-p[ \t=]*${VALUE}`],
	[
		"az oc cf twine argocd cypher-shell cqlsh mongo mongosh mongodump mongorestore mongoimport influx svn conan psexec PsExec64 evil-winrm crackmapexec netexec nxc hydra altool notarytool rabbitmqadmin beeline",
		afterFlag(raw`-p${GAP}|--value(?:=|${GAP})(?<=secret set[^\n]{0,80}--value(?:=|${GAP}))`),
	],
	[
		"sqlcmd bcp tsql osql isql ipmitool mosquitto_pub mosquitto_sub zip unzip ssh-keygen",
		afterFlag(raw`-[PNU][ \t]*(?<=-P[ \t]*|-N[ \t]*)`),
	],
	["7z 7za unrar rar", afterFlag("-p")],
	["ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd", afterFlag(raw`-w[ \t]*`)],
	["snmpwalk snmpget snmpset snmpbulkwalk snmpbulkget snmptrap snmptable", afterFlag(raw`-[cAX][ \t]+`)],
	["dsmod dsadd", afterFlag(raw`-pwd[ \t]+`)],
	["elixir iex erl rabbitmq-server", afterFlag(raw`(?:--cookie|-setcookie)[ \t=]+`)],
	["kubectl oc", raw`--from-literal[ \t=]["']?[\w.-]{1,80}=${VALUE}`],
	["mkpasswd", raw`mkpasswd(?:[ \t]+-m[ \t]+\S{1,20}|[ \t]+--?[\w=-]{1,30}){0,3}[ \t]+(?!-)${VALUE}`],
	["smbclient rpcclient smbmap", afterFlag(raw`-U[ \t]*["']?[\w.\\/-]{1,60}%`)],
	[
		"net",
		raw`(?<=[ \t])(?:-U[ \t]*["']?[\w.\\/-]{1,60}%|use[ \t]+(?:\S{1,4}[ \t]+)?\\{2,4}\S{1,80}[ \t]+(?:/\S{1,60}[ \t]+){0,3}(?!/)|user[ \t]+[\w.-]{1,40}[ \t]+(?!/)(?=\S{0,40}\d))${VALUE}`,
	],
	["sudo", raw`^sudo[ \t]+(?:-[A-Za-z]{1,4}[ \t]+){0,2}-[A-Za-z]{0,4}S\b[^\n<]{0,100}<<<[ \t]*${VALUE}`],
	["poetry", raw`config[ \t]+http-basic\.\S{1,60}[ \t]+\S{1,60}[ \t]+${VALUE}`],
	["lftp", afterFlag(raw`-u[ \t]*[\w.@-]{1,60},`)],
	[
		"openssl",
		raw`(?<=[ \t"'])(?:(?:-pass|-passin|-passout)${GAP}["']?pass:|-[kK]${GAP}|-hmac${GAP}|-macopt${GAP}["']?(?:hex)?key:|passwd[ \t]+(?:-(?:\d|apr1|salt[ \t]+\S{1,20})[ \t]+){0,3})${VALUE}`,
	],
	["plink pscp psftp putty kitty", afterFlag(raw`-pw${GAP}`)],
	["signtool", afterFlag(raw`/p[ \t]+`)],
	["schtasks", afterFlag(raw`/r?p[ \t]+`)],
	["cmdkey", afterFlag("/pass:")],
	["rclone", raw`(?:rclone[ \t]+obscure|config[ \t]+\w+[^\n]{0,120}?[ \t](?:pass|password|obscure))[ \t=]+${VALUE}`],
	["mc", raw`(?:alias[ \t]+set|config[ \t]+host[ \t]+add)[ \t]+\S{1,60}[ \t]+\S{1,100}[ \t]+\S{1,60}[ \t]+${VALUE}`],
	["rootpw", raw`rootpw[ \t]+(?:--plaintext[ \t]+)?${VALUE}`],
	["createUser", raw`createUser[ \t]+\S{1,60}[ \t]+\w{2,8}[ \t]+${VALUE}`],
	["xfreerdp wlfreerdp rdesktop mstsc", afterFlag(raw`/p:|-p[ \t]+`)],
	[
		"htpasswd",
		raw`(?:-[a-zA-Z]{0,8}b[a-zA-Z]{0,8}(?<!n[a-zA-Z]{0,8}|n)[ \t]+\S{1,100}|-[a-zA-Z]{0,4}n[a-zA-Z]{0,4})[ \t]+\S{1,60}[ \t]+${VALUE}`,
	],
	["rabbitmqctl", raw`(?:add_user|change_password)[ \t]+\S{1,60}[ \t]+${VALUE}`],
	["wpa_passphrase", raw`wpa_passphrase[ \t]+\S{1,60}[ \t]+${VALUE}`],
	["doctl hcloud linode-cli", afterFlag(raw`-t[ \t]+|--access-token[ \t=]+`)],
	["ngrok", raw`(?:add-authtoken|authtoken)[ \t]+${VALUE}`],
	["cargo vault", raw`login[ \t]+(?!-)${VALUE}`],
	["oathtool", afterFlag(raw`-(?:b|-base32)[ \t]+|--totp(?:=\w+)?[ \t]+`)],
	["security", afterFlag(raw`-[wpP][ \t]+`)],
	["gh glab", raw`(?:secret|variable) set[ \t]+\w{1,80}[^\n]{0,80}?(?:--body|-b|--value|-v)[ \t=]+${VALUE}`],
	["dotnet", raw`user-secrets set[ \t]+\S{1,100}[ \t]+${VALUE}`],
	["ConvertTo-SecureString", raw`ConvertTo-SecureString[ \t]+(?:-(?:String|AsPlainText|Force)[ \t]+){0,3}${VALUE}`],
	[
		"echo printf",
		raw`(?:echo|printf)[ \t]+(?:-n[ \t]+|["']%s(?:\\n)?["'][ \t]+)?(?:["']?\w{1,40}:)?${VALUE}\)?[ \t]*\|[^\n]{0,60}?(?:--password-stdin|--with-token|--stdin|sudo -S|chpasswd|kinit|cryptsetup|wg pubkey|su -|smbpasswd|zfs load-key|secrets? (?:create|put|set|add)|gpg[^\n]{0,40}passphrase-fd)`,
	],
];
/** Calls that take a user and a password as their last two arguments. */
const CALLS =
	"PDO mysqli mysqli_connect getConnection connect login authenticate SetBasicAuth HTTPBasicAuth BasicAuth NetworkCredential UsernamePasswordCredentials UsernamePasswordCredential PasswordAuthentication PasswordCredential BasicAWSCredentials basicAuth basic_auth BasicCredentials Credentials begin database";
const QUOTED_ARGUMENT = raw`(["'][^"'\n]{6,200}["'])`;
const LAST_ARGUMENT = raw`\((?:[^()\n]{0,200},[ \t]*)?["'][^"'\n]{1,80}["'],[ \t]*${QUOTED_ARGUMENT}[ \t]*[,)]`;

interface Program {
	argument: RegExp;
	/** How far the command may reach beyond the name of the next program in it. */
	reach: number;
	/** A sign that such a command contains. Without it, overlapping commands would be read many times. */
	sign?: RegExp;
	/** Its arguments may be anything: only a value that cannot be a word counts. */
	needsProof: boolean;
}

/** The part before the value is a group of its own, which says where the value begins: the flag `d` is slow. */
function argumentPattern(argument: string, value: string): RegExp {
	const [before, after] = argument.split(value);
	return new RegExp(`(${before})${value}${after}`, "g");
}

/** `echo x | docker login` and `sudo -S docker ps <<< x` contain the name of another program. */
const REACH = 100;
const READS_STDIN =
	/--(?:password-)?stdin|--with-token|sudo -S|chpasswd|kinit|cryptsetup|wg pubkey|su -|smbpasswd|zfs load-key|secrets? (?:create|put|set|add)|passphrase-fd/g;
const SIGNS_OF_COMMANDS = new Map([
	["echo", READS_STDIN],
	["printf", READS_STDIN],
	["sudo", /<<</g],
]);
const NEED_PROOF = new Set(
	"connect login authenticate security http https PDO getConnection cargo vault database Credentials mc".split(" "),
);
const KNOWN_PROGRAMS = new Map(
	[...PROGRAMS, [CALLS, LAST_ARGUMENT] as const].flatMap(([programs, argument]) => {
		const pattern = argumentPattern(argument, argument.includes(VALUE) ? VALUE : QUOTED_ARGUMENT);
		return programs.split(" ").map((name): [string, Program] => {
			const sign = SIGNS_OF_COMMANDS.get(name);
			const reach = sign === undefined ? 0 : REACH;
			return [name, { argument: pattern, reach, needsProof: NEED_PROOF.has(name), ...(sign && { sign }) }];
		});
	}),
);

const anyOf = (names: string[]): string => names.sort((a, b) => b.length - a.length).join("|");
const PROGRAM = new RegExp(
	raw`(?<![\w-])(?:(?:${anyOf(PROGRAMS.flatMap(([programs]) => programs.split(" ")))})(?=[ \t]|["'],)|(?:${anyOf(CALLS.split(" "))})(?=\())`,
	"g",
);
const LONGEST_PROGRAM = Math.max(...[...KNOWN_PROGRAMS.keys()].map((name) => name.length));
/** A command ends with its line. Text beyond this many characters is not an argument. */
const MAX_COMMAND = 400;

/** Masks passwords in the arguments of programs that take them in a short flag, and of calls that take them by position. */
export function maskCommands(text: string): string {
	const rewriting = new Rewriting(text);
	const signs = new Signs(text);
	PROGRAM.lastIndex = 0;
	for (let end = nextProgram(text); end > 0; ) {
		const start = startOf(text, end, DASHED, LONGEST_PROGRAM);
		const program = KNOWN_PROGRAMS.get(text.slice(start, end));
		const nextEnd = nextProgram(text);
		if (program !== undefined) {
			const from = Math.max(rewriting.done, start);
			const next = nextEnd === 0 ? text.length : startOf(text, nextEnd, DASHED, LONGEST_PROGRAM) + program.reach;
			const to = endOfCommand(text, from, next);
			if (signs.mayBeIn(program, from, to)) maskArguments(rewriting, program, from, text.slice(from, to));
		}
		end = nextEnd;
	}
	return rewriting.result();
}

/** Where the next name of a program ends. The text itself tells faster than a match where it begins. */
const nextProgram = (text: string): number => (PROGRAM.test(text) ? PROGRAM.lastIndex : 0);

const PASSWORD_MASK = maskOf("password");

/**
 * Up to the next program, so that no text is read for many of them; the name of a program may be an argument of another.
 */
function endOfCommand(text: string, from: number, afterNext: number): number {
	const limit = Math.min(text.length, afterNext, from + MAX_COMMAND);
	for (let at = from + 1; at < limit; at += 1) {
		if (text.charCodeAt(at) === 0x0a && text.charCodeAt(at - 1) !== 0x5c) return at;
	}
	return limit;
}

/** Where the next sign of each kind is. Queried from the beginning of a text to its end, each kind reads the text once. */
class Signs {
	readonly #text: string;
	readonly #next = new Map<RegExp, number>();

	constructor(text: string) {
		this.#text = text;
	}

	mayBeIn({ sign }: Program, from: number, to: number): boolean {
		if (sign === undefined) return true;
		let next = this.#next.get(sign) ?? -1;
		if (next < from) {
			sign.lastIndex = from;
			next = sign.exec(this.#text)?.index ?? this.#text.length;
			this.#next.set(sign, next);
		}
		return next < to;
	}
}

/** All of them at once: each one left to the next pass would cause the whole text to be read again. */
function maskArguments(rewriting: Rewriting, { argument, needsProof }: Program, start: number, command: string): void {
	argument.lastIndex = 0;
	for (let match = argument.exec(command); match !== null; match = argument.exec(command)) {
		const from = match.index + (match[1]?.length ?? 0);
		const to = from + (match[2]?.length ?? 0);
		if (command.startsWith(MASKED, from)) continue;
		const quoted = isQuote(command.charCodeAt(from)) ? 1 : 0;
		const value = command.slice(from + quoted, to - quoted);
		const enough = needsProof
			? looksStrong(value) || looksMixed(value) || looksChosen(value) || isSecretValue(value, "token", "bare")
			: true;
		if (enough && isSecretValue(value, "password", "quoted"))
			rewriting.replace(start + from + quoted, start + to - quoted, PASSWORD_MASK);
	}
}
