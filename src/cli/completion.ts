import type { Command } from "./command.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

export const completion: Command = {
	name: "completion",
	takes: "bash|zsh|fish",
	does: "print a script that completes commands, options, runs and agents in your shell",
	words: [1, 1],
	completes: SHELLS,
	options: {},
	checksConfig: true,
	run({ words, out }) {
		const shell = SHELLS.find((name) => name === words[0]);
		if (!shell) return out.misused(`There is no completion for "${words[0]}", only for ${SHELLS.join(", ")}.`);
		if (out.isJson) out.document({ shell, script: SCRIPTS[shell] });
		else out.lines([SCRIPTS[shell]]);
		return 0;
	},
};

/**
 * Each script asks the command itself, so that it stays up to date. None falls back on file names: only `export -o` takes
 * one, which seldom exists yet.
 */
const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
	bash: `# eval "$(pi-geon completion bash)"
_pi_geon() {
	local line
	COMPREPLY=()
	while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
		pi-geon __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
	)
}
complete -F _pi_geon pi-geon`,
	zsh: `# eval "$(pi-geon completion zsh)"
_pi_geon() {
	local -a found
	found=("\${(@f)$(pi-geon __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
	compadd -Q -- "\${(@)found:#}"
}
compdef _pi_geon pi-geon`,
	fish: `# pi-geon completion fish | source
complete -c pi-geon -f -a '(pi-geon __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
};
