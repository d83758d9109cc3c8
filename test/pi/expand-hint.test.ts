import { stripVTControlCharacters } from "node:util";
import { KeybindingsManager, setKeybindings } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { expandHint } from "../../src/pi/view/expand-hint.ts";
import { theme } from "./row.ts";

const hint = (context: unknown) => stripVTControlCharacters(expandHint(theme, context));
const bound = (keys: object) => setKeybindings(new KeybindingsManager(keys as never));

test("the hint names the key that pi's context tells, and is left out where there is none", () => {
	expect(hint({ keyText: (action: string) => (action === "app.tools.expand" ? "alt+e" : "") })).toBe("alt+e to expand");
	expect(hint({ keyText: () => "" })).toBe("");
});

test("without a context that tells, it is the key that pi has, or the usual one", () => {
	bound({ "app.tools.expand": { defaultKeys: "ctrl+e", description: "" } });
	expect(hint({})).toBe("ctrl+e to expand");
	bound({});
	expect(hint({})).toBe("ctrl+o to expand");
});
