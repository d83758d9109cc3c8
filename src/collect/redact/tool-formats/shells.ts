import { isNoWord, isPassword, type ToolFormat } from "./tool-format.ts";

/** What is typed, piped or set in a shell or a build. */
export const OF_SHELLS: readonly ToolFormat[] = [
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
			/((?:\b|_)(?:passw\w{0,12}|passphrase|[\w-]{0,10}mkpasswd[\w-]{0,10}|kinit|cryptsetup|chpasswd|stdin|login)\b[^\n<]{0,80}(?:<<<[ \t]{0,4}\$?["']?|<<-?[ \t]{0,4}["']?\w{1,10}["']?\r?\n(?:[\w.-]{1,40}:)?))([^\s"'$(]{4,100})(?=["']?[ \t]{0,4}(?:\r?\n|$))/gi,
	},
	// A shell's default for a variable
	{
		signs: [":-"],
		pattern:
			/(\b\w{0,40}(?:PASS|PASSWORD|PASSWD|PWD|TOKEN|SECRET|KEY)\w{0,20}=["']?\$\{\w{1,40}:-)([^\s"'$}]{6,100})(?=\})/g,
		isSecret: isNoWord,
	},
	// Commands to a build server
	{
		signs: ["::add-mask::", "::set-output name=", "##vso["],
		pattern:
			/(::add-mask::|::set-output name=[\w-]{0,40}(?:token|secret|password|key)::|##vso\[task\.setvariable [^\]\n]{0,80}(?:issecret=true|token|secret|password)[^\]\n]{0,80}\])([^\s"'$]{6,400})/gi,
	},
	// --user name:password; numbers are those of a user and a group
	{
		signs: ["--user"],
		pattern: /(--user(?:name)?[ \t=]{1,2}["']?[\w.-]{1,40}:)([^\s"']{6,100})/g,
		isSecret: (value) => /[A-Za-z]/.test(value) && /\d/.test(value) && isPassword(value),
	},
	// expect: the answer to the question for a password
	{
		signs: ["expect "],
		pattern:
			/(expect[^\n]{0,20}(?:assword|assphrase)[^\n]{0,40}\n?[ \t]{0,8}send[ \t]{1,4}(?:-- )?["']?)([^"'\n\\]{4,100})/g,
	},
];
