import { describe, expect, test } from "vitest";
import type { LspAnswer } from "../../src/lsp/request.ts";
import { useLab } from "./lab.ts";
import { contentOf, isLeftOut, truthLab } from "./truth-lab.ts";
import { TRUTH } from "./truth-projects.ts";

/**
 * The table: server × question × state of the project → what is true. Cold is the first question to a server that was just
 * started, in a project nobody has asked about; warm is every one after that, and the first one again.
 */

const openLab = useLab();
const placesIn = ({ text }: LspAnswer) => text.match(/^\S+:\d+:\d+/gm) ?? [];

describe.each(TRUTH)("$server", (project) => {
	const groups = project.groups.map((questions) => ({ questions, cold: questions[0]?.request }));

	test.skipIf(isLeftOut(project)).each(groups)(
		"$cold.action $cold.query cold, the others warm",
		async ({ questions }) => {
			const { lab, changes } = truthLab(openLab, project);
			const before = contentOf(lab.folder);
			for (const { request, truth } of [...questions, ...questions.slice(0, 1)]) {
				const asked = JSON.stringify(request);
				const answer = await lab.lsp(request, changes);
				if (truth instanceof RegExp) expect(answer.text, asked).toMatch(truth);
				else expect(placesIn(answer), asked).toEqual(truth);
				// None of them is so large that an answer might be incomplete.
				expect(answer.text, asked).not.toMatch(/incomplete|not looked at|not asked|may not/);
			}
			await lab.pool.dispose();
			expect(contentOf(lab.folder)).toEqual(before);
		},
	);
});
