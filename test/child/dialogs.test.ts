import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { childDialogs } from "../../src/child/dialogs.ts";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import type { Question } from "../../src/processes/protocol.ts";

const SECRET = "s3cret-value-of-a-key";

test("a secret at the place where a text is cut shows none of itself", async () => {
	const redactor = createRedactor({ secrets: [SECRET], homeDir: "/home/ada" });
	const asked: Question[] = [];
	const notices: string[] = [];
	const { ui } = childDialogs({
		base: {} as ExtensionUIContext,
		ask: async (question) => void asked.push(question),
		redact: (text) => redactor.redact(text),
		onNotice: (message) => notices.push(message),
		over: new AbortController().signal,
	});
	const line = `${"-".repeat(490)} ${SECRET}`;
	const paragraph = `${"-".repeat(3990)} ${SECRET}`;
	await ui.confirm(line, paragraph);
	await ui.select(line, [line]);
	await ui.input(line, line);
	ui.notify(paragraph);
	expect(asked).toHaveLength(3);
	const sent = JSON.stringify([asked, notices]);
	expect(sent).toContain("…");
	expect(sent).not.toContain(SECRET.slice(0, 6));
});
