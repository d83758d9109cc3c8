import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentNamed } from "../helpers/agent-file.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { promptPi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";

/** Rows of docs/lessons.md that no other test is about. */
const openHome = useHome();

const MISBEHAVING_TOOLS = join(import.meta.dirname, "..", "children", "misbehaving-tools.ts");

test("children have the environment of the shell that asked, even while a host of another one is there", async () => {
	const home = await openHome({
		agents: { "worker.md": agentNamed("worker", "You work.", "tools: bash") },
		config: { subagents: { allowWrite: true, sandbox: { env: ["WHO_ASKED"] } } },
		env: { PI_GEON_HOST_IDLE_MS: "2000" },
		script: dispatch({
			parent: ({ lastMessage }) => (lastMessage?.role === "tool" ? text("Done.") : delegateTo("worker", "Who am I?")),
			child: ({ toolResults }) => {
				const [answer] = toolResults;
				return answer ? finalize(answer.text.trim()) : toolCall("bash", { command: 'echo "$WHO_ASKED"' });
			},
		}),
	});
	const askedBy = async (name: string) => {
		const run = await promptPi(home, "Go", { env: { WHO_ASKED: name } });
		return delegations(run)[0]?.finalized?.result;
	};
	expect(await askedBy("the first")).toBe("the first");
	expect(await askedBy("the second")).toBe("the second");
	expect(await askedBy("the first")).toBe("the first");
});

test("a read-only agent gets no tool that writes: none that its file names, and none of an extension", async () => {
	const names = "tools: read, write, edit, bash, hangs_until_aborted";
	const home = await openHome({
		moreExtensions: [MISBEHAVING_TOOLS],
		agents: {
			"named.md": agentNamed("named", "You look.", `readonly: true\n${names}`),
			"inheriting.md": agentNamed("inheriting", "You look.", "readonly: true\ndenied_tools: grep"),
		},
		config: { subagents: { allowWrite: true } },
		script: dispatch({
			parent: ({ lastMessage }) =>
				lastMessage?.role === "tool"
					? text("Done.")
					: [delegateTo("named", "Write it."), delegateTo("inheriting", "Write it.")],
			child: [toolCall("write", { path: "owned.txt", content: "x" }), finalize("I could not.")],
		}),
	});
	const run = await promptPi(home, "Go");
	expect(delegations(run).map(({ finalized }) => finalized?.result)).toEqual(["I could not.", "I could not."]);
	const tools = home.model.requests.filter(({ isChild }) => isChild).flatMap((request) => request.tools);
	expect(tools).toContain("read");
	for (const name of ["write", "edit", "bash", "hangs_until_aborted"]) expect(tools).not.toContain(name);
	expect(delegations(run).map(({ results }) => results[0]?.warnings?.join(" "))).toEqual([
		expect.stringContaining("write, edit, bash, hangs_until_aborted were left out: named is read-only."),
		expect.stringMatching(/hangs_until_aborted\b.* left out: inheriting is read-only\./),
	]);
	expect(existsSync(join(home.project, "owned.txt"))).toBe(false);
});

test("a model that never returns its answer properly is given up on, and not asked forever", async () => {
	const home = await openHome({
		script: dispatch({
			parent: [delegateTo("explorer", "Look."), text("Done.")],
			child: () => toolCall("subagent_finalize", { status: "success", result: "Fine." }),
		}),
	});
	const [details] = delegations(await promptPi(home, "Go"));
	expect(details).toMatchObject({
		error: { code: "SUBAGENT_FAILED", reason: "not_finalized" },
		results: [{ exitCode: 1 }],
	});
	expect(details?.error?.message).toContain("its arguments were not valid");
	expect(home.model.requests.filter(({ isChild }) => isChild)).toHaveLength(3);
});
