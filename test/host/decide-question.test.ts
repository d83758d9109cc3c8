import { describe, expect, test } from "vitest";
import { decideQuestion, type SeenQuestion } from "../../src/host/decide-question.ts";

const ASK_MS = 600_000;
const UNSEEN: SeenQuestion = { isShown: false, wasShown: false, presence: "unknown", askedForMs: 0, quietForMs: 0 };
const HOUR = 3_600_000;

describe("an open question", () => {
	test.each<[what: string, seen: Partial<SeenQuestion>, decided: ReturnType<typeof decideQuestion>]>([
		["no parent has come yet", {}, "wait"],
		["no parent has come for a while", { askedForMs: 2_999 }, "wait"],
		["no parent has come", { askedForMs: 3_000 }, "nobody"],
		["only a parent without a user is there", { presence: "nobody" }, "nobody"],
		["a parent with a user is there, and has not shown it", { presence: "user", askedForMs: HOUR }, "wait"],
		["the same for too long", { presence: "user", quietForMs: ASK_MS }, "time"],
		["it is shown, and others watch too", { isShown: true, wasShown: true, presence: "nobody" }, "wait"],
		["it is shown, and nothing was heard of that for long", { ...shown(), quietForMs: ASK_MS + 14_999 }, "wait"],
		["it is shown by one who must be dead", { ...shown(), quietForMs: ASK_MS + 15_000 }, "time"],
		["it was shown, and the parent was closed", { wasShown: true, quietForMs: ASK_MS - 1 }, "wait"],
		["it was shown, and the parent did not come back", { wasShown: true, quietForMs: ASK_MS }, "time"],
	])("%s", (_what, seen, decided) => {
		expect(decideQuestion({ ...UNSEEN, ...seen }, { askMs: ASK_MS })).toBe(decided);
	});

	test("gives a parent the time to come, even if it is to stay open for no time", () => {
		const left = { ...UNSEEN, wasShown: true };
		expect(decideQuestion({ ...left, quietForMs: 2_999 }, { askMs: 0 })).toBe("wait");
		expect(decideQuestion({ ...left, quietForMs: 3_000 }, { askMs: 0 })).toBe("time");
	});
});

function shown(): Partial<SeenQuestion> {
	return { isShown: true, wasShown: true, presence: "user" };
}
