import { isRecord } from "../run/is-record.ts";
import type { PoolSettings } from "./config.ts";
import { commandLine, matching, orNull, text } from "./kinds.ts";
import { defaultsOf, overlay } from "./overlay.ts";
import { freely } from "./project-rules.ts";
import type { Kind, Section, Setting } from "./setting.ts";

/** The name is also part of a queue's name in the database. */
export const poolName = matching(/^[a-z0-9][a-z0-9_-]{0,39}$/, "the name of a pool (a-z, 0-9, - and _)");

const poolSetting = <T>(kind: Kind<T>, initial: T): Setting<T> => ({ kind, default: initial, fromProject: freely });

/** A project cannot set the table at all, so nothing in it needs a rule for projects. */
const POOL_TABLE = {
	urlEnv: poolSetting<string | null>(orNull(matching(/^\w+$/, "the name of a variable")), null),
	urlFile: poolSetting<string | null>(orNull(text), null),
	setup: poolSetting<readonly string[] | null>(orNull(commandLine), null),
} satisfies Section;

/** A table by name in the file, a list in `Config`. */
export const pools: Kind<readonly PoolSettings[]> = {
	expected: 'a table of pools such as { team: { urlEnv: "TEAM_POOL_URL" } }',
	read: (value, source) => {
		if (!isRecord(value)) return undefined;
		return Object.entries(value).flatMap(([name, values]) => {
			const item = source.at(name);
			const leftOut = (problem: string) => {
				item.report("error", problem, "Correct it; until then the pool is left out.");
				return [];
			};
			if (poolName.read(name, item) === undefined) return leftOut(`Expected ${poolName.expected}.`);
			if (!isRecord(values)) return leftOut("Expected an object.");
			const given = { values, source: item, layer: "user", known: [] } as const;
			// The table above has the shape of the interface; walking it loses the type.
			const written = overlay(POOL_TABLE, defaultsOf(POOL_TABLE), given) as unknown as Omit<PoolSettings, "name">;
			if ((written.urlEnv === null) === (written.urlFile === null)) {
				return leftOut("Expected either urlEnv or urlFile, which says where the address of the database is.");
			}
			return [{ name, ...written }];
		});
	},
};
