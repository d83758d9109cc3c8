import { maskOf } from "./mask.ts";
import { isPlaceholder, isSecretValue, looksRandom } from "./secret-values.ts";

const PASSWORD = maskOf("password");

/** A line or a block of a tool's own format in which no name announces a password. */
interface ToolFormat {
	/** The format is searched only in a text that has one of these signs: most texts have none, which is quick to check. */
	signs: readonly string[];
	/** What comes before the secret, and the secret. */
	pattern: RegExp;
	mask?: string;
	/** For a format that does not prove it alone. */
	isSecret?: (value: string) => boolean;
}

const isPassword = (value: string): boolean => isSecretValue(value, "password", "quoted");

const FORMATS: readonly ToolFormat[] = [
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
		signs: [" 0 ", " 5 ", " 7 ", " 9 "],
		pattern: /((?:secret|password|-server key|key-string) [0579] )([^\s"']{5,100})(?=\s|$)/g,
	},
	// Redis: AUTH user password
	{
		signs: ["AUTH "],
		pattern: /((?:^|> ?|["'] ?)AUTH (?:[\w-]{1,40} )?)([^\s"']{6,200})(?=["']?\s{0,4}$)/gm,
		isSecret: (value) => /\d/.test(value) && isPassword(value),
	},
	// A driver of Go: user:password@tcp(host)
	{ signs: ["@tcp(", "@unix("], pattern: /(["'`=][\w.-]{1,60}:)([^\s"'`@]{4,100})(?=@(?:tcp|unix)\()/g },
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
			/(password[\w "'\]=-]{0,20}["'][)\]]{1,3}\.(?:send_keys|sendKeys|type|fill|setValue|clear\(\)\.type|pressSequentially)\(["'])([^"'\n]{4,100})(?=["'])/gi,
	},
	// expect: the answer to the question for a password
	{
		signs: ["expect"],
		pattern:
			/(expect[^\n]{0,20}(?:assword|assphrase)[^\n]{0,40}\n?[ \t]{0,8}send[ \t]{1,4}(?:-- )?["'])([^"'\n\\]{4,100})/g,
	},
	// Calls that take a key as a text
	{
		signs: ["jwt.", "mac", "Fernet(", "KeySpec(", "SecurityKey(", "openssl_", "pgp_sym_", "ipheriv("],
		pattern:
			/((?:\bjwt\.(?:sign|verify|encode|decode)|createHmac|createCipheriv|createDecipheriv|hash_hmac|hmac\.new|Fernet|SecretKeySpec|SymmetricSecurityKey|openssl_(?:en|de)crypt|pgp_sym_(?:en|de)crypt)\((?:[^"'`\n]{0,80}["'][\w-]{1,16}["'],)?[^"'`\n]{0,80}[b@]?["'`])([^"'`\n]{8,200})(?=["'`])/g,
		isSecret: (value) =>
			isPassword(value) && !/^(?:aes|sha|hs|rs|es|md5|des|hmac|utf|base64|chacha)[\w-]*$/i.test(value),
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

/** Masks secrets that only the format of a tool's file or of a call reveals. */
export function maskLinesOfTools(text: string): string {
	let masked = text;
	for (const { signs, pattern, mask = PASSWORD, isSecret = isPassword } of FORMATS) {
		if (!signs.some((sign) => masked.includes(sign))) continue;
		masked = masked.replace(pattern, (match, before: string, value: string) =>
			!isPlaceholder(value) && isSecret(value) ? before + mask : match,
		);
	}
	return masked;
}
