import { NAME } from "../run/ids.ts";
import { isRecord } from "../run/is-record.ts";
import type { PrincipalSettings } from "./config.ts";
import { listOf, matching, orNull, text } from "./kinds.ts";
import { defaultsOf, overlay } from "./overlay.ts";
import { freely } from "./project-rules.ts";
import type { Kind, Section, Setting } from "./setting.ts";

const id = matching(NAME, "an id of up to 64 letters, digits, dots, dashes and underscores");
const idOrAny = matching(new RegExp(`${NAME.source}|^\\*$`), 'the id of a principal, or "*"');

const principalSetting = <T>(kind: Kind<T>, initial: T): Setting<T> => ({
	kind,
	default: initial,
	fromProject: freely,
});

/** A project cannot set the list at all, so nothing in it needs a rule for projects. */
const PRINCIPAL = {
	id: principalSetting(id, ""),
	name: principalSetting(orNull(text), null),
	agentDir: principalSetting(orNull(text), null),
	subagents: {
		/** null: itself. */
		allowAgents: principalSetting(orNull(listOf(idOrAny)), null),
		model: principalSetting(orNull(text), null),
	},
} satisfies Section;

interface PrincipalAsWritten {
	id: string;
	name: string | null;
	agentDir: string | null;
	subagents: { allowAgents: readonly string[] | null; model: string | null };
}

export const MAIN: PrincipalSettings = targetingItself({
	id: "main",
	name: null,
	agentDir: null,
	subagents: { allowAgents: null, model: null },
});

export const principals: Kind<readonly PrincipalSettings[]> = {
	expected: 'a list of principals such as { id: "main" }',
	read: (value, source) => {
		if (!Array.isArray(value)) return undefined;
		const byId = new Map<string, PrincipalSettings>();
		for (const [index, values] of value.entries()) {
			const item = source.at(index);
			if (!isRecord(values) || id.read(values.id, item) === undefined) {
				const remedy = "Correct it; until then the principal is left out.";
				item.report("error", `Expected an object with ${id.expected}.`, remedy);
				continue;
			}
			// The table above has the shape of the interface; walking it loses the type.
			const given = { values, source: item, layer: "user", known: [] } as const;
			const written = overlay(PRINCIPAL, defaultsOf(PRINCIPAL), given);
			const principal = targetingItself(written as unknown as PrincipalAsWritten);
			if (byId.has(principal.id)) {
				item.report("error", `The id ${principal.id} is used twice.`, "Remove one; until then the first applies.");
			} else byId.set(principal.id, principal);
		}
		return byId.has(MAIN.id) ? [...byId.values()] : [MAIN, ...byId.values()];
	},
};

/** By default a principal may target only itself. */
function targetingItself({ subagents, ...principal }: PrincipalAsWritten): PrincipalSettings {
	return { ...principal, subagents: { ...subagents, allowAgents: subagents.allowAgents ?? [principal.id] } };
}
