import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { delegateTo, finalize } from "../e2e/child.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { startRpc } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";

// Examples of results in the documents leave out what is long ("…"). What they do show has to be what a real pi gives.

const openHome = useHome();

const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool" || lastUserText.startsWith("Status:")) return text("Thanks.");
	return lastUserText === "spawn"
		? toolCall("sessions_spawn", { agent: "explorer", task: "Look.", model: "no/such-model" })
		: delegateTo("dreamer", "Look.");
};

/** The blocks of a page in this language. */
function blocksOf(page: string, language: string): string[] {
	const written = readFileSync(join(repositoryRoot, "docs", page), "utf8");
	return [...written.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
		([, block = ""]) => block,
	);
}

/** Every key that the example shows is in the real one, with a value of the same type; other texts are the same. */
function expectShownIn(real: unknown, shown: unknown, path = ""): void {
	expect(typeof real, path).toBe(typeof shown);
	if (typeof shown !== "object" || shown === null) return;
	for (const [key, value] of Object.entries(shown)) {
		if (key !== "…") expectShownIn((real as Record<string, unknown>)[key], value, `${path}.${key}`);
	}
}

test("the examples of an accepted run, its announce and a result are what a real pi gives", async () => {
	const home = await openHome({
		script: dispatch({ parent, child: () => finalize("The answer") }),
		agents: { "dreamer.md": agentNamed("dreamer", "You dream.", "model: no/such-model\ntools: read") },
	});
	const rpc = startRpc(home);

	const spawned = await rpc.promptAndSettle("spawn");
	const receipt = spawned.find(({ type }) => type === "tool_execution_end")?.result as { details: object };
	const [accepted] = blocksOf("background.md", "json");
	expectShownIn(receipt.details, JSON.parse(accepted ?? ""));

	const announced = await rpc.waitForEvent(
		(event) => event.type === "message_end" && (event.message as { customType?: string }).customType !== undefined,
	);
	const [announce] = blocksOf("applications.md", "json");
	const shown = JSON.parse(announce ?? "") as { message: { customType: string; content: string } };
	expectShownIn(announced, shown);
	const real = announced.message as { customType: string; content: string };
	expect(real.customType).toBe(shown.message.customType);
	expect(real.content.replaceAll(/report-[0-9a-f]{16}/g, "report-5f0c…")).toMatch(likeShown(shown.message.content));

	const delegated = await rpc.promptAndSettle("delegate");
	const end = delegated.find(({ type }) => type === "tool_execution_end")?.result as { content: [{ text: string }] };
	const [result] = blocksOf("results.md", "");
	expect(end.content[0].text.replaceAll(/report-[0-9a-f]{16}/g, "report-5f0c…")).toMatch(
		likeShown(result?.trim() ?? ""),
	);
});

/** A text in which … stands for anything. */
const likeShown = (shown: string): RegExp =>
	new RegExp(
		`^${shown
			.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
			.replaceAll("5f0c…", "5f0c\u0000")
			.replaceAll("…", "[\\s\\S]*")
			.replaceAll("\u0000", "…")}$`,
	);
