import { expect, test } from "vitest";
import { providerRemedy } from "../../src/collect/provider-remedy.ts";

test.each([
	['401 {"error":{"message":"bad key"}}', /credentials.*\/login/],
	["402 Payment required", /credit/],
	["404 no such model", /\/model/],
	["429 status code (no body)", /fallbackModels/],
	["529 Overloaded", /fallbackModels/],
])("what to do about %s is said", (message, remedy) => {
	expect(providerRemedy(message)).toMatch(remedy);
});

test.each(["Connection error.", "400 Bad request", "It was 429 before."])("nothing is made up about %s", (message) => {
	expect(providerRemedy(message)).toBe("");
});
