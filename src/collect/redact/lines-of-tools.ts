import { maskOf } from "./mask.ts";
import { PRINTED_SECRET } from "./printed-secrets.ts";
import { isPlaceholder, isSecretValue, looksChosen, looksMixed, looksRandom, looksStrong } from "./secret-values.ts";
import { Signs } from "./signs.ts";

const PASSWORD = maskOf("password");

/** A line or a block of a tool's own format in which no name announces a password. */
export interface ToolFormat {
	/** The format is searched only in a text that has one of these signs: most texts have none. */
	signs: readonly string[];
	/** What comes before the secret, and the secret. */
	pattern: RegExp;
	mask?: string;
	/** For a format that does not prove it alone. */
	isSecret?: (value: string) => boolean;
}

const isPassword = (value: string): boolean => isSecretValue(value, "password", "quoted");
/** For what could also be a word. */
const isNoWord = (value: string): boolean =>
	isPassword(value) && (looksMixed(value) || looksStrong(value) || looksChosen(value) || looksRandom(value));

const FORMATS: readonly ToolFormat[] = [
	PRINTED_SECRET,
	// cloud-init: user:password on each line
	{
		signs: ["chpasswd:"],
		pattern:
			/(chpasswd:\s{0,4}\n[ \t]{1,8}list:[ \t]{0,4}\|[+-]?\n(?:[ \t]{1,12}[\w.-]{1,32}:\S{1,200}\n){0,20}?[ \t]{1,12}[\w.-]{1,32}:)([^\s:[]\S{3,200})/g,
	},
	// OpenVPN: user and password in a block
	{ signs: ["<auth-user-pass>"], pattern: /(<auth-user-pass>\s{0,4}\n[^\n<]{1,100}\n)([^\s<]{4,200})(?=\s)/g },
	// Postfix: [host]:port user:password
	{ signs: ["]:"], pattern: /^(\[[\w.-]{1,100}\]:\d{2,5}[ \t]{1,8}[^\s:]{1,100}:)([^\s:]{4,100})$/gm },
	// Bundler: user:password of a private source
	{
		signs: ["BUNDLE_"],
		pattern:
			/(\bBUNDLE_[A-Z0-9_]{3,80}__[A-Z0-9_]{2,40}["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[\w.-]{1,60}:)([^\s"']{6,200})/g,
	},
	// The text of a QR code of a wireless network
	{ signs: ["WIFI:"], pattern: /(\bWIFI:(?:[TSH]:[^;\n]{0,60};){1,3}P:)([^;\n]{4,80})(?=;)/g },
	// Maven's master password
	{ signs: ["<master>"], pattern: /(<master>)([^<\s]{8,400})(?=<\/master>)/g },
	// Terraform's state
	{
		signs: ['"random_password"'],
		pattern: /("random_password"[\s\S]{0,600}?"(?:result|bcrypt_hash)"[ \t]{0,4}:[ \t]{0,4}")([^"\n]{4,200})/g,
	},
	// minisign and signify
	{
		signs: ["secret key"],
		pattern: /(comment: [^\n]{0,80}secret key\r?\n)([A-Za-z0-9+/=]{60,300})/g,
		mask: maskOf("private-key"),
	},
	// Hardhat and Truffle: private keys of accounts
	{
		signs: ["accounts"],
		pattern: /(\baccounts["']?[ \t]{0,4}[:=][ \t]{0,4}\[\s{0,20}["'](?:0x)?)([0-9a-f]{64})(?=["'])/g,
		mask: maskOf("private-key"),
	},
	// Cisco: the type of a password before it
	{
		signs: ["secret ", "password ", "-server key", "key-string"],
		pattern: /((?:secret|password|-server key|key-string) [0579] )([^\s"']{5,100})(?=\s|$)/g,
	},
	// Redis: AUTH user password
	{
		signs: ["AUTH"],
		pattern: /((?:^|> ?|["'] ?)AUTH(?:"(?= "))? "?(?:[\w-]{1,40}"? "?)?)([^\s"']{6,200})(?=["']?\s{0,4}$)/gm,
		isSecret: (value) => /\d/.test(value) && isPassword(value),
	},
	// A driver of Go: user:password@tcp(host)
	{ signs: ["@tcp(", "@unix("], pattern: /((?:^|[\s"'`=])[\w.-]{1,60}:)([^\s"'`@]{4,100})(?=@(?:tcp|unix)\()/g },
	// domain/user:password@address
	{
		signs: ["@10.", "@172.", "@192.", "@127."],
		pattern: /([\w.\\/-]{1,60}:)([^\s:@'"]{6,80})(?=@\d{1,3}(?:\.\d{1,3}){3}(?![\w.]))/g,
		isSecret: isNoWord,
	},
	// Any program that takes a user and a password in short flags. For some, -p is a port or a path.
	{
		signs: ["-u ", "-U ", "--user", "--login"],
		pattern:
			/([ \t](?:-u|-U|--user(?:name)?|--login)(?<!\b(?:mysql\w*|mariadb\S*|docker|podman|nerdctl|ps|psql|pg_\w+|cp|ssh|sudo|mkdir|su|id)\b[^\n]{0,60})[ =]["']?[\w.@\\/+-]{1,60}["']?(?:[ \t]+(?!-[pP])[^\s]{1,60}){0,3}?[ \t]+-(?:p|P|pw)[ =]?["']?)([^\s"']{6,100})/g,
		isSecret: isNoWord,
	},
	// skopeo and others: user:password of a registry
	{ signs: ["creds"], pattern: /(--(?:src-|dest-)?creds?[ =]["']?[\w.-]{1,60}:)([^\s"']{4,200})/g },
	// A password on the standard input: from a string, or from the next lines
	{
		signs: ["<<"],
		pattern:
			/(\b(?:passw\w{0,12}|passphrase|[\w-]{0,10}mkpasswd[\w-]{0,10}|kinit|cryptsetup|chpasswd|stdin|login)\b[^\n<]{0,80}(?:<<<[ \t]{0,4}\$?["']?|<<-?[ \t]{0,4}["']?\w{1,10}["']?\r?\n(?:[\w.-]{1,40}:)?))([^\s"'$(]{4,100})/g,
	},
	// FTP, POP3 and the like, and files that copy their words
	{
		signs: ["PASS ", "Pass "],
		pattern: /(\buser[ \t]\S{1,60}\r?\n(?:[^\n]{0,80}\n){0,2}?[^\n]{0,20}?\bpass[ \t])([^\s]{4,100})(?=\r?\n|$)/gi,
		isSecret: isNoWord,
	},
	// IMAP and SMTP
	{
		signs: ["LOGIN "],
		pattern: /(^(?:[CS]: )?\w{1,8} LOGIN ["']?\S{1,60}["']? ["']?)([^\s"']{4,100})/gm,
		isSecret: isNoWord,
	},
	{ signs: ["334 UGFzc3dvcmQ6"], pattern: /(334 UGFzc3dvcmQ6\r?\n(?:C: ?)?)([\w+/=]{4,200})/g },
	// What a server prints when it is set up
	{
		signs: ["assword"],
		pattern: /(assword[^\n]{0,80}:[ \t]{0,4}\r?\n[ \t]{0,8}\r?\n[ \t]{0,8})(\S{8,100})(?=[ \t]{0,4}(?:\r?\n|$))/g,
		isSecret: isNoWord,
	},
	{
		signs: [" as the pass", " as password", " as the key", " as the token"],
		pattern:
			/(["'`“])([^"'`“”\s]{6,200})(?=["'`”] as (?:the |my |your |a )?(?:\w{1,12} )?(?:password|passphrase|passcode|key|token))/g,
		isSecret: isNoWord,
	},
	{
		signs: ["creds: ", "redentials:", "/pass", "/Pass"],
		pattern:
			/(\b(?:creds|credentials|user(?:name)?\/pass\w{0,4}|login\/pass\w{0,4})["')]{0,2}:[ \t]{1,4}[\w.@-]{1,40}[ \t]?[/:][ \t]?)([^\s,;]{6,60})/gi,
		isSecret: isNoWord,
	},
	{ signs: ["New value: "], pattern: /(assword[^\n]{0,80}\n[ \t]{0,8}New value: )(\S{6,100})/g },
	// Swift: the name comes after the value
	{
		signs: ["forKey: "],
		pattern:
			/(["'])([^"'\n]{6,400})(?=["'],[ \t]{0,4}forKey: ["']?[\w.]{0,30}(?:password|passphrase|token|secret|apiKey))/gi,
		isSecret: isNoWord,
	},
	// ODBC: a password with any signs is in braces
	{ signs: ["wd={", "WD={", "ord={"], pattern: /(;[ \t]?(?:pwd|password)=\{)([^{}\n]{4,100})(?=\})/gi },
	// A shell's default for a variable
	{
		signs: [":-"],
		pattern:
			/(\b\w{0,40}(?:PASS|PASSWORD|PASSWD|PWD|TOKEN|SECRET|KEY)\w{0,20}=["']?\$\{\w{1,40}:-)([^\s"'$}]{6,100})(?=\})/g,
		isSecret: isNoWord,
	},
	// A cookie of a session, as a browser exports it
	{
		signs: ['sessionid"', 'sid"', 'SESSID"', 'session"', 'SESSIONID"'],
		pattern:
			/("name":[ \t]{0,4}"[\w.-]{0,40}(?:sess|sid)[\w.-]{0,20}",\s{0,40}"value":[ \t]{0,4}")([^"\n]{12,4000})(?=")/gi,
		mask: maskOf("cookie"),
		isSecret: looksRandom,
	},
	// Vault prints the keys that unseal it once
	{
		signs: ["nseal "],
		pattern: /(\b[Uu]nseal (?:[Kk]ey ?\d{0,2}(?: \([^()\n]{1,20}\))?: ?)?)([A-Za-z0-9+/]{43,44}={0,2})(?![\w+/=])/g,
		isSecret: looksRandom,
	},
	{
		signs: ["thingsboard.cloud/"],
		pattern: /(thingsboard\.cloud\/api\/v1\/)([a-z0-9]{20})(?!\w)/g,
		mask: maskOf("token"),
	},
	// Commands to a build server
	{
		signs: ["::add-mask::", "::set-output name=", "##vso["],
		pattern:
			/(::add-mask::|::set-output name=[\w-]{0,40}(?:token|secret|password|key)::|##vso\[task\.setvariable [^\]\n]{0,80}(?:issecret=true|token|secret|password)[^\]\n]{0,80}\])([^\s"'$]{6,400})/gi,
	},
	// A secret that a role of Vault logs in with
	{
		signs: ["secret_id", "SECRET_ID"],
		pattern: /(\bsecret_id["']?[ \t]{0,4}[:=][ \t]{0,4}["']?)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/gi,
		isSecret: () => true,
	},
	// k3s
	{ signs: ["::server:", "::node:"], pattern: /(::(?:server|node):)([0-9a-f]{16,64})(?!\w)/g, isSecret: () => true },
	// Network devices
	{
		signs: ["ommunity"],
		pattern: /(\b(?:snmp-server community|r[ow]community6?)[ \t]{1,4})([^\s]{5,60})/g,
		isSecret: isNoWord,
	},
	{ signs: ["EAP ", "XAUTH ", "NTLM "], pattern: /(: (?:EAP|XAUTH|NTLM)[ \t]{1,8}["'])([^"'\n]{4,100})(?=["'])/g },
	{ signs: ["option key"], pattern: /(\boption key[ \t]{1,4}["']?)([^\s"']{8,64})/g, isSecret: isNoWord },
	{
		signs: ["ENC ", "ascii-text"],
		pattern: /(\b(?:passw\w{1,4}|psksecret|secret|key) ENC |\bpre-shared-key ascii-text ")([^\s"]{8,400})/g,
	},
	// PPP: client, server, secret, addresses
	{
		signs: ["* "],
		pattern: /(^[\w.@*-]{1,40}[ \t]{1,8}\*[ \t]{1,8})([^\s*]{6,60})(?=[ \t]{1,8}\*[ \t]{0,8}$)/gm,
		isSecret: isNoWord,
	},
	{
		signs: ["[admins]"],
		pattern: /(\[admins\]\r?\n(?:;[^\n]{0,200}\n){0,20}[\w.-]{1,40}[ \t]?=[ \t]?)([^\s]{4,200})/g,
	},
	// --user name:password; numbers are those of a user and a group
	{
		signs: ["--user"],
		pattern: /(--user(?:name)?[ \t=]{1,2}["']?[\w.-]{1,40}:)([^\s"']{6,100})/g,
		isSecret: (value) => /[A-Za-z]/.test(value) && /\d/.test(value) && isPassword(value),
	},
	// A web form: the field and what is typed into it
	{
		signs: ["assword"],
		pattern:
			/(password[\w "'\]=-]{0,20}["'](?:,[ \t]{0,4}(?:with: ?)?["'](?<=\b(?:fill|type|fill_in|setValue|sendKeys)\(?[ ("'][^\n]{0,80})|[)\]]{1,3}\.(?:send_keys|sendKeys|type|fill|setValue|clear\(\)\.type|pressSequentially)\(["']))([^"'\n]{4,100})(?=["'])/gi,
	},
	// expect: the answer to the question for a password
	{
		signs: ["expect "],
		pattern:
			/(expect[^\n]{0,20}(?:assword|assphrase)[^\n]{0,40}\n?[ \t]{0,8}send[ \t]{1,4}(?:-- )?["']?)([^"'\n\\]{4,100})/g,
	},
	// Calls that take nothing but a password
	{
		signs: ["toCharArray"],
		pattern: /(["'])([^"'\n]{6,100})(?=["']\.toCharArray\(\))/g,
		isSecret: isNoWord,
	},
	{
		signs: ["hashSync(", "hashpw(", "_password(", "password_hash", "cookieParser(", "PlainText(", "SecretString::"],
		pattern:
			/(\b(?:hashSync|hashpw|make_password|set_password|check_password|generate_password_hash|password_hash|cookieParser|unsafePlainText|SecretString::(?:from|new))\(b?["'])([^"'\n]{6,100})(?=["'])/g,
		isSecret: isNoWord,
	},
	{ signs: ["USERPWD"], pattern: /(USERPWD["']?,[ \t]{0,4}["'][^"':\n]{1,80}:)([^"'\n]{4,100})(?=["'])/g },
	// Calls that take the key of a wallet
	{
		signs: ["Wallet(", "rivateKey", "SigningKey("],
		pattern: /((?:\bWallet|[pP]rivateKey(?:To\w{1,20})?|SigningKey)\([ \t]{0,4}["'](?:0x)?)([0-9a-f]{64})(?=["'])/g,
		mask: maskOf("private-key"),
		isSecret: () => true,
	},
	// Calls that take a user or an id and a secret
	{
		signs: ["redential", "DirectoryEntry(", "Session(", "authorization_basic(", "ldap_bind(", ".auth(", "FTP("],
		pattern:
			/((?:Credentials?(?:\.new|::new)?|\b(?:DirectoryEntry|Session|authorization_basic|ldap_bind|auth|FTP(?:_TLS)?))\((?:[^()"'\n]{0,60},[ \t]{0,4})?(?:["'][^"'\n]{1,80}["'],[ \t]{0,4}){1,2}["'])([^"'\n]{6,200})(?=["'])/g,
		isSecret: isNoWord,
	},
	// Four to eight digits after the word: a connector of a chip has fewer
	{
		signs: ["PIN", "Pin", '"pin'],
		pattern:
			/(\bpin(?:[ _-]?code)?["'*]{0,3}(?:[ \t]{0,3}[:=]|[ \t]is)[ \t]{1,3}["'`*]{0,2}|\bpin(?:_?code)?["']?[=:]["']?)(\d{4,8})(?![\w:/-]|\.\d)/gi,
		isSecret: (value) => !/^(?:0+|(?:19|20)\d\d)$/.test(value),
	},
	// Codes that replace a password or a second factor
	{
		signs: ["ecovery code", "ackup code", "escue code", "cratch code"],
		pattern:
			/(\b(?:recovery|backup|rescue|scratch)[ _-]codes?["'*]{0,3}:[ \t]{1,4}["'`]?)([A-Za-z0-9]{4,10}(?:[- ][A-Za-z0-9]{4,10}){1,7})(?![\w-])/gi,
		isSecret: (value) => /\d/.test(value),
	},
	// Calls that take a key as a text
	{
		signs: [
			"jwt.",
			"Hmac(",
			"_hmac(",
			"hmac.new",
			"Fernet(",
			"KeySpec(",
			"SecurityKey(",
			"openssl_",
			"pgp_sym_",
			"ipheriv(",
		],
		pattern:
			/((?:\bjwt\.(?:sign|verify|encode|decode)|createHmac|createCipheriv|createDecipheriv|hash_hmac|hmac\.new|Fernet|SecretKeySpec|SymmetricSecurityKey|openssl_(?:en|de)crypt|pgp_sym_(?:en|de)crypt)\((?:[^"'`\n]{0,80}["'][\w-]{1,16}["'],)?[^"'`\n]{0,80}[b@]?["'`])([^"'`\n]{8,200})(?=["'`])/g,
		isSecret: (value) =>
			isPassword(value) && !/^(?:aes|sha|hs|rs|es|md5|des|hmac|utf|base64|chacha)[\w-]*$/i.test(value),
	},
	// The second version of Amazon's signatures, in a header
	{
		signs: ["AWS "],
		pattern: /(\bAWS [A-Z0-9]{5,24}:)([A-Za-z0-9+/]{27}=)/g,
		mask: maskOf("signature"),
		isSecret: () => true,
	},
	// What a device or a browser logs in with
	{
		signs: ["device_code", "code_verifier"],
		pattern: /(\b(?:device_code|code_verifier)["']?[ \t]{0,2}[=:][ \t]{0,2}["']?)([\w.~-]{20,400})/g,
		mask: maskOf("code"),
		isSecret: looksRandom,
	},
	// A key in a query where no other name says that it is one; the private address of a calendar
	{
		signs: ["?key=", "&key=", "?k=", "&k=", "appid=", "app_id=", "/private-"],
		pattern: /([?&](?:app_?id|key|k)=|\/private-)([0-9a-f]{32,64})(?![\w-])/g,
		mask: maskOf("token"),
		isSecret: () => true,
	},
	// A signed message or assertion, and its signature
	{
		signs: ["SAMLRe"],
		pattern: /(\bSAML(?:Response|Request)["']?[=:][ \t]{0,2}["']?)([\w+/=%-]{60,16000})/g,
		mask: maskOf("saml"),
	},
	{
		signs: ["ignature"],
		pattern:
			/([?&;]signature=|oauth_signature=["']|X-[\w-]{2,30}-Signature(?:-256)?: ?(?:sha\d+=|v\d=)?)([\w+/=%-]{20,600})/g,
		mask: maskOf("signature"),
		isSecret: looksRandom,
	},
];

const SIGNS = new Signs(FORMATS.flatMap(({ signs }) => signs));

/** Masks secrets that only the format of a tool's file or of a call reveals. */
export function maskLinesOfTools(text: string): string {
	const found = SIGNS.in(text);
	if (!found.includes(1)) return text;
	let masked = text;
	let index = 0;
	for (const { signs, pattern, mask = PASSWORD, isSecret = isPassword } of FORMATS) {
		const first = index;
		index += signs.length;
		if (!found.subarray(first, index).includes(1)) continue;
		masked = masked.replace(pattern, (match, before: string, value: string) =>
			!isPlaceholder(value) && isSecret(value) ? before + mask : match,
		);
	}
	return masked;
}
