import { maskOf } from "../mask.ts";
import { looksRandom } from "../secret-values.ts";
import { isAny, isNoWord, type ToolFormat } from "./tool-format.ts";

/** Lines and blocks of configuration files in which no name announces a password. */
export const OF_FILES: readonly ToolFormat[] = [
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
	// A driver of Go: user:password@tcp(host)
	{ signs: ["@tcp(", "@unix("], pattern: /((?:^|[\s"'`=])[\w.-]{1,60}:)([^\s"'`@]{4,100})(?=@(?:tcp|unix)\()/g },
	// What fetchmail and many others log in with
	{
		signs: ["user "],
		pattern:
			/(\buser(?:name)?[ \t]+["']?[\w.@-]{1,60}["']?,?[ \t]+(?:with[ \t]+)?pass(?:word)?[ \t]+["']?)([^\s"']{4,100})/g,
		isSecret: isNoWord,
	},
	// Redis: users, and what a replica or a client is told
	{ signs: [" on >", " off >"], pattern: /(\buser [\w.-]{1,60} (?:on|off) >)(\S{4,200})/g },
	{ signs: ["auth-pass "], pattern: /(\bauth-pass [\w.-]{1,60} )(\S{4,200})/g, isSecret: isNoWord },
	{
		signs: ['"requirepass"', '"masterauth"'],
		pattern: /("(?:requirepass|masterauth)"\r?\n\d\) ")([^"\n]{4,200})(?=")/g,
	},
	// LDAP: hashes of passwords
	{
		signs: ["SHA}", "SHA256}", "SHA512}", "MD5}", "CRYPT}"],
		pattern: /(\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT)\})([\w+/=$.]{20,200})/g,
		mask: maskOf("password-hash"),
	},
	// Consul: its tokens and the key of its gossip
	{
		signs: ["tokens {", "encrypt = ", '"encrypt"'],
		pattern:
			/(\btokens \{[^{}]{0,200}?=[ \t]{0,4}"|\bencrypt"?[ \t]{0,4}[:=][ \t]{0,4}")([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{22}==)(?=")/g,
		mask: maskOf("token"),
		isSecret: isAny,
	},
	// ODBC: a password with any signs is in braces
	{ signs: ["wd={", "WD={", "ord={"], pattern: /(;[ \t]?(?:pwd|password)=\{)([^{}\n]{4,100})(?=\})/gi },
	// The same in the file that curl keeps cookies in
	{
		signs: ["\tTRUE\t", "\tFALSE\t"],
		pattern: /(\t(?:TRUE|FALSE)\t\/\S{0,100}\t(?:TRUE|FALSE)\t\d{1,12}\t[^\s]{1,100}\t)(\S{12,4000})/g,
		mask: maskOf("cookie"),
		isSecret: looksRandom,
	},
	// A cookie of a session, as a browser exports it
	{
		signs: ['sessionid"', 'sid"', 'SESSID"', 'session"', 'SESSIONID"'],
		pattern:
			/("name":[ \t]{0,4}"[\w.-]{0,40}(?:sess|sid)[\w.-]{0,20}",\s{0,40}"value":[ \t]{0,4}")([^"\n]{12,4000})(?=")/gi,
		mask: maskOf("cookie"),
		isSecret: looksRandom,
	},
	// A secret that a role of Vault logs in with
	{
		signs: ["secret_id", "SECRET_ID", "SecretID", "Secret ID"],
		pattern: /(\bsecret[_ ]?id["']?[ \t]{0,12}[:=][ \t]{0,12}["']?)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/gi,
		isSecret: isAny,
	},
	// k3s
	{ signs: ["::server:", "::node:"], pattern: /(::(?:server|node):)([0-9a-f]{16,64})(?!\w)/g, isSecret: isAny },
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
	{
		signs: ["[admins]"],
		pattern: /(\[admins\]\r?\n(?:;[^\n]{0,200}\n){0,20}[\w.-]{1,40}[ \t]?=[ \t]?)([^\s]{4,200})/g,
	},
];
