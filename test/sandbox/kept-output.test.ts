import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { delegateTo, finalize } from "../e2e/child.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { type Reply, text, toolCall } from "../helpers/model-steps.ts";
import { promptPi, somePi } from "../helpers/pi.ts";
import { isShare } from "../helpers/share.ts";
import { useHome } from "../helpers/use-home.ts";

const openHome = useHome();
const LINES = "echo the very first line; seq 1 5000";
const NAMED = /Full output: (\/tmp\/pi-bash-[0-9a-f]+\.log)\]/;

describe.each(somePi(import.meta.url))("the whole output of a command whose result pi cuts, pi %s", (version) => {
	/** What the child's model sees of its calls: a command, and then whatever reads the file that its result names. */
	async function seen(command: string): Promise<string[]> {
		const home = await openHome({
			pi: version,
			config: { subagents: { allowWrite: true } },
			agents: { "worker.md": agentNamed("worker", "You work.", "tools: bash, read") },
			script: dispatch({
				parent: [delegateTo("worker", "Work."), text("Done.")],
				child: ({ turn, toolResults }): Reply => {
					const [, file = "none"] = NAMED.exec(toolResults[0]?.text ?? "") ?? [];
					const calls = [
						toolCall("bash", { command }),
						toolCall("read", { path: file, limit: 1 }),
						toolCall("bash", { command: `head -1 ${file}` }),
					];
					return calls[turn] ?? finalize("Read.");
				},
			}),
		});
		await promptPi(home, "Go.", { version });
		expect(readdirSync(home.temp).filter((name) => name.startsWith("pi-bash"))).toEqual([]);
		const last = home.model.requests.findLast(({ isChild }) => isChild);
		return (last?.toolResults ?? []).map((result) => result.text);
	}

	const commands = [
		["succeeds", LINES],
		["fails", `${LINES}; exit 3`],
	];
	test.each(isShare ? commands.slice(0, 1) : commands)(
		"is there for `read` and for a shell if it %s",
		async (_name, command) => {
			const [cut, read, shown] = await seen(command);
			expect(cut).toMatch(NAMED);
			expect(cut).not.toContain("the very first line");
			expect(read).toContain("the very first line");
			expect(shown).toContain("the very first line");
		},
	);

	test("is not a file that the command names", async () => {
		const [said, read] = await seen("echo; echo -n '[Full output: /etc/pi-bash-0123456789abcdef.log]'");
		expect(said).toContain("Full output: /etc/pi-bash");
		expect(read).toContain("none");
	});
});
