import { maskOf } from "../mask.ts";
import { looksRandom } from "../secret-values.ts";
import { isAny, isNoWord, isPassword, type ToolFormat } from "./tool-format.ts";

/** Arguments of calls: only the name of what is called says what they are. */
export const OF_CALLS: readonly ToolFormat[] = [
	// Excel's sheets
	{ signs: ["rotect "], pattern: /(\.(?:Unp|P)rotect[ \t]{1,4}")([^"\n]{4,100})(?=")/g, isSecret: isNoWord },
	// Robot Framework
	{
		signs: ["Input Password"],
		pattern: /(\bInput Password[ \t]{2,20}\S{1,80}[ \t]{2,20})(\S{4,100})/g,
		isSecret: isNoWord,
	},
	// Swift: the name comes after the value
	{
		signs: ["forKey: "],
		pattern:
			/(["'])([^"'\n]{6,400})(?=["'],[ \t]{0,4}forKey: ["']?[\w.]{0,30}(?:password|passphrase|token|secret|apiKey))/gi,
		isSecret: isNoWord,
	},
	// A web form: the field and what is typed into it
	{
		signs: ["assword"],
		pattern:
			/(password[\w "'\]=-]{0,20}["'](?:,[ \t]{0,4}(?:with: ?)?["'](?<=\b(?:fill|type|fill_in|setValue|sendKeys)[ (][^\n]{0,80})|[)\]]{1,3}\.(?:send_keys|sendKeys|type|fill|setValue|clear\(\)\.type|pressSequentially)\(["']))([^"'\n]{4,100})(?=["'])/gi,
	},
	// Calls that take the bytes of a key
	{
		signs: ["_slice(", "GetBytes("],
		pattern: /(\b(?:new_from_slice|GetBytes)\(b?["'])([^"'\n]{12,200})(?=["'])/g,
		isSecret: looksRandom,
	},
	// Calls that take nothing but a password
	{
		signs: ["toCharArray"],
		pattern: /(["'])([^"'\n]{6,100})(?=["']\.toCharArray\(\))/g,
		isSecret: isNoWord,
	},
	{
		signs: [
			"hashSync(",
			"hashpw(",
			"crypt(",
			"_password(",
			"password_hash",
			"cookieParser(",
			"PlainText(",
			"SecretString::",
		],
		pattern:
			/(\b(?:hashSync|hashpw|crypt|make_password|set_password|check_password|generate_password_hash|password_hash|cookieParser|unsafePlainText|SecretString::(?:from|new))\(b?["'])([^"'\n]{6,100})(?=["'])/g,
		isSecret: isNoWord,
	},
	{ signs: ["USERPWD"], pattern: /(USERPWD["']?,[ \t]{0,4}["'][^"':\n]{1,80}:)([^"'\n]{4,100})(?=["'])/g },
	// Calls that take the key of a wallet
	{
		signs: ["Wallet(", "rivateKey", "SigningKey("],
		pattern: /((?:\bWallet|[pP]rivateKey(?:To\w{1,20})?|SigningKey)\([ \t]{0,4}["'](?:0x)?)([0-9a-f]{64})(?=["'])/g,
		mask: maskOf("private-key"),
		isSecret: isAny,
	},
	// Calls that take a user or an id and a secret
	{
		signs: [
			..."redential( redentials( redentials.new( redentials::new( NewStatic imap_open( DirectoryEntry( Session(".split(
				" ",
			),
			...`Bind( bind( _login( Auth( basic_auth( authorization_basic( login(" login(' auth(" auth(' .auth(`.split(" "),
			...`uthenticate(" uthenticate(' FTP(`.split(" "),
		],
		pattern:
			/((?:[Cc]redentials?(?:\.new|::new)?|[Aa]uth(?:enticate)?|[Ll]ogin|\b[Bb]ind|NewStaticV\d|imap_open|\b(?:DirectoryEntry|Session|authorization_basic|ldap_bind|auth|FTP(?:_TLS)?))\((?:[^()"'\n]{0,60},[ \t]{0,4})?(?:["'][^"'\n]{0,80}["'](?:,|[ \t]=>)[ \t]{0,4}){1,3}?(?:Some\()?["'])([^"'\n]{6,200})(?=["'][ \t]{0,2}[,)])/g,
		isSecret: isNoWord,
	},
	// Calls that take a key as a text
	{
		signs: [
			"jwt.",
			"HMAC",
			"signWith(",
			"SignedString(",
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
			/((?:\bjwt\.(?:sign|verify|encode|decode)|\bHMAC(?:256|384|512)|signWith|SignedString|createHmac|createCipheriv|createDecipheriv|hash_hmac|hmac\.new|Fernet|SecretKeySpec|SymmetricSecurityKey|openssl_(?:en|de)crypt|pgp_sym_(?:en|de)crypt)\((?:[^"'`\n]{0,80}["'][\w-]{1,16}["'],)?[^"'`\n]{0,80}[b@]?["'`])([^"'`\n]{8,200})(?=["'`])/g,
		isSecret: (value) =>
			isPassword(value) && !/^(?:aes|sha|hs|rs|es|md5|des|hmac|utf|base64|chacha)[\w-]*$/i.test(value),
	},
];
