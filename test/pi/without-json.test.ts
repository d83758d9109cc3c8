import { expect, test } from "vitest";
import { withoutJson } from "../../src/pi/view/without-json.ts";

test.each([
	['Failed: 429 {"error":{"message":"Slow down.","type":"rate"}} Wait.', "Failed: 429 Slow down. Wait."],
	['{"type":"error","error":{"type":"x","message":"Overloaded"}}', "Overloaded"],
	['{"detail":"No such model"}', "No such model"],
	['{"code":7}', '{"code":7}'],
	["Use { braces } as you like", "Use { braces } as you like"],
	['{"message":""}', '{"message":""}'],
	["} backwards {", "} backwards {"],
	["Plain words.", "Plain words."],
])("%s", (message, shown) => {
	expect(withoutJson(message)).toBe(shown);
});
