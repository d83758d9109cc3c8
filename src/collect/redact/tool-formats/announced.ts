import { maskOf } from "../mask.ts";
import { looksRandom } from "../secret-values.ts";
import { isNoWord, type ToolFormat } from "./tool-format.ts";

/** What a program or a person announces in words, and what stands beside something that was masked. */
export const ANNOUNCED: readonly ToolFormat[] = [
	// What a server prints when it is set up
	{
		signs: [":\n\n", ":\r\n\r\n"],
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
			/(\b(?:creds|credentials|user(?:name)?\/pass\w{0,4}|login\/pass\w{0,4})["')]{0,2}:[ \t]{1,4}[\w.@-]{1,40}[ \t]?[/:][ \t]?)([^\s,;:"'`]{6,60})/gi,
		isSecret: isNoWord,
	},
	{ signs: [" pw is ", " pwd is "], pattern: /(\bpwd? is ["'`]?)([^\s"'`]{6,60})/g, isSecret: isNoWord },
	{ signs: ["_AUTH"], pattern: /(_AUTH["']?[=:][ \t]?["']?[\w.@-]{1,40}[/:])([^\s"'/]{6,100})/g, isSecret: isNoWord },
	{ signs: ["New value: "], pattern: /(assword[^\n]{0,80}\n[ \t]{0,8}New value: )(\S{6,100})/g },
	// The secret of an Amazon key, next to its id
	{
		signs: ["[redacted:aws-key-id]"],
		pattern: /(\[redacted:aws-key-id\][^\n]{0,80}?(?<![\w+/]))([A-Za-z0-9+/]{40})(?![\w+/=])/g,
		mask: maskOf("token"),
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
];
