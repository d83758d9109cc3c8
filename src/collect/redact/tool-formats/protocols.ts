import { maskOf } from "../mask.ts";
import { looksRandom } from "../secret-values.ts";
import { isAny, isNoWord, isPassword, type ToolFormat } from "./tool-format.ts";

/** What goes over a connection, as a log or a transcript shows it. */
export const OF_PROTOCOLS: readonly ToolFormat[] = [
	// Redis: AUTH user password
	{
		signs: ["AUTH"],
		pattern: /((?:^|> ?|["'] ?)AUTH(?:"(?= "))? "?(?:[\w-]{1,40}"? "?)?)([^\s"']{6,200})(?=["']?\s{0,4}$)/gm,
		isSecret: (value) => /\d/.test(value) && isPassword(value),
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
	// The second version of Amazon's signatures, in a header
	{
		signs: ["AWS "],
		pattern: /(\bAWS [A-Z0-9]{5,24}:)([A-Za-z0-9+/]{27}=)/g,
		mask: maskOf("signature"),
		isSecret: isAny,
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
		signs: ["?key=", "&key=", "?k=", "&k=", "appid=", "APPID=", "appId=", "app_id=", "/private-"],
		pattern: /([?&](?:app_?id|key|k)=|\/private-)([A-Za-z0-9]{32,64})(?![\w-])/gi,
		mask: maskOf("token"),
		isSecret: looksRandom,
	},
	// The last part of the address of a hook: who knows it may call it
	{
		signs: ["hook", "Hook"],
		pattern: /(https?:\/\/[^\s"'<>:]{0,100}?[Hh]ook[^\s"'<>:]{0,200}\/)([\w-]{16,200})(?![\w/.-])/g,
		mask: maskOf("webhook"),
		isSecret: (value) => /(?=.*[a-z])(?=.*[A-Z])(?=.*\d)/.test(value) && looksRandom(value),
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
			/([?&;][Ss]ignature=|oauth_signature=["']|X-[\w-]{2,30}-Signature(?:-256)?: ?(?:sha\d+=|v\d=)?)([\w+/=%~-]{20,600})/g,
		mask: maskOf("signature"),
		isSecret: looksRandom,
	},
];
