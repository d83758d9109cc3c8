import { NAME } from "../run/ids.ts";
import { isRecord } from "../run/is-record.ts";
import type { LspServerSettings } from "./config.ts";
import { commandLine, listOf, matching, orNull, text, trueOrFalse } from "./kinds.ts";
import { defaultsOf, overlay } from "./overlay.ts";
import { freely } from "./project-rules.ts";
import type { Kind, Section, Setting } from "./setting.ts";

const serverSetting = <T>(kind: Kind<T>, initial: T): Setting<T> => ({ kind, default: initial, fromProject: freely });

const extension = matching(/^\.[^./\\\s]+$/, 'a file extension such as ".zig"');
const anyObject: Kind<object> = { expected: "an object", read: (value) => (isRecord(value) ? value : undefined) };

/** A project cannot set the table at all, so nothing in it needs a rule for projects. Null: as built in. */
const SERVER = {
	command: serverSetting<readonly string[] | null>(orNull(commandLine), null),
	extensions: serverSetting<readonly string[] | null>(orNull(listOf(extension)), null),
	languageId: serverSetting<string | null>(orNull(text), null),
	rootMarkers: serverSetting<readonly string[] | null>(orNull(listOf(text)), null),
	initializationOptions: serverSetting<object | null>(orNull(anyObject), null),
	needsTrust: serverSetting<boolean | null>(orNull(trueOrFalse), null),
	disabled: serverSetting(trueOrFalse, false),
} satisfies Section;

/** A table by name in the file, a list in `Config`. */
export const lspServers: Kind<readonly LspServerSettings[]> = {
	expected: 'a table of servers such as { zls: { command: ["zls"], extensions: [".zig"] } }',
	read: (value, source) => {
		if (!isRecord(value)) return undefined;
		return Object.entries(value).flatMap(([name, values]) => {
			const item = source.at(name);
			if (!NAME.test(name) || !isRecord(values)) {
				const remedy = "Correct it; until then the server is left out.";
				item.report("error", "Expected a short name with an object.", remedy);
				return [];
			}
			const given = { values, source: item, layer: "user", known: [] } as const;
			// The table above has the shape of the interface; walking it loses the type.
			const written = overlay(SERVER, defaultsOf(SERVER), given) as unknown as Omit<LspServerSettings, "name">;
			return [{ name, ...written }];
		});
	},
};
