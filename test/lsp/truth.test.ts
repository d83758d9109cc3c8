import { describe, expect, test } from "vitest";
import type { LspAnswer } from "../../src/lsp/request.ts";
import { isShare } from "../helpers/share.ts";
import { useLab } from "./lab.ts";
import { contentOf, isLeftOut, truthLab } from "./truth-lab.ts";
import { TRUTH } from "./truth-projects.ts";

/**
 * The table: server × question × state of the project → what is true. Cold is the first question to a server that was just
 * started, in a project nobody has asked about; warm is the same question again.
 */

const openLab = useLab();
const placesIn = ({ text }: LspAnswer) => text.match(/^\S+:\d+:\d+/gm) ?? [];

/** In `npm test`, all questions to the one server that needs no installation, and two to each of the others. */
const questionsTo = ({ server, questions }: (typeof TRUTH)[number]) =>
	isShare && server !== "typescript" ? questions.slice(0, 2) : questions;

describe.each(TRUTH)("$server", (project) => {
	test.skipIf(isLeftOut(project)).each(questionsTo(project))(
		"$request.action $request.query",
		async ({ request, truth }) => {
			const { lab, changes } = truthLab(openLab, project);
			const before = contentOf(lab.folder);
			for (const state of ["cold", "warm"]) {
				const answer = await lab.lsp(request, changes);
				if (truth instanceof RegExp) expect(answer.text, state).toMatch(truth);
				else expect(placesIn(answer), state).toEqual(truth);
				// None of them is so large that an answer might be incomplete.
				expect(answer.text, state).not.toMatch(/incomplete|not looked at|not asked|may not/);
			}
			await lab.pool.dispose();
			expect(contentOf(lab.folder)).toEqual(before);
		},
	);
});
