import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import type { AutocompleteItem } from "@earendil-works/pi-tui";
import { nearest } from "../../run/nearest.ts";
import { firstWord } from "./words.ts";

/** What was wrong with the user's input. Nothing was done. */
export interface CommandProblem {
	problem: string;
}

/** The lines to show, or the problem. Undefined: the screen shows it already. */
export type CommandAnswer = string[] | CommandProblem | undefined;

export const isProblem = (answer: NonNullable<CommandAnswer>): answer is CommandProblem => "problem" in answer;

export interface Subcommand {
	name: string;
	/** What follows the name: `<id|#> [limit]`. */
	takes: string;
	does: string;
	/** `command` is the command that it was typed after: some subcommands belong to two. */
	run(args: string, ctx: ExtensionCommandContext, command: string): Promise<CommandAnswer>;
	/** Completions after the name. Values are without the name itself. */
	complete?(typed: string): Promise<AutocompleteItem[]>;
}

/** Passes the arguments to the subcommand they begin with. */
export async function dispatch(
	command: string,
	subcommands: readonly Subcommand[],
	{ args, ctx }: { args: string; ctx: ExtensionCommandContext },
): Promise<CommandAnswer> {
	const { word, rest } = firstWord(args);
	const found = subcommands.find(({ name }) => name === word);
	if (found) return found.run(rest, ctx, command);
	const names = subcommands.map(({ name }) => name);
	const meant = nearest(word, names);
	const guess = meant === undefined ? "" : ` Did you mean \`/${command} ${meant}\`?`;
	return { problem: `/${command} has no "${word}".${guess} Available: ${names.join(", ")}.` };
}

export const usage = (command: string, { name, takes }: Pick<Subcommand, "name" | "takes">): string =>
	`/${command} ${name}${takes === "" ? "" : ` ${takes}`}`;

/**
 * First the names of the subcommands, then the completions of the one that was typed. A choice replaces all arguments. While
 * pi offers something, Enter chooses it instead of submitting, so a complete input gets no offers.
 */
export async function completions(
	subcommands: readonly Subcommand[],
	typed: string,
): Promise<AutocompleteItem[] | null> {
	const [, name = "", rest] = /^\s*(\S*)(?:\s+(.*))?$/s.exec(typed) ?? [];
	if (rest === undefined) return orNoItems(subcommands.filter((one) => isBegun(one, name)).map(subcommandItem));
	const found = subcommands.find((one) => one.name === name);
	const items = (await found?.complete?.(rest)) ?? [];
	return orNoItems(items.map((item) => ({ ...item, value: `${name} ${item.value}` })));
}

const isBegun = (subcommand: Subcommand, typed: string): boolean =>
	subcommand.name.startsWith(typed) && (subcommand.name !== typed || needsMore(subcommand));

const needsMore = ({ takes }: Subcommand): boolean => takes.startsWith("<");

function subcommandItem(subcommand: Subcommand): AutocompleteItem {
	const { name, takes, does } = subcommand;
	return {
		value: needsMore(subcommand) ? `${name} ` : name,
		label: name,
		description: takes === "" ? does : `${takes}: ${does}`,
	};
}

const orNoItems = (items: AutocompleteItem[]): AutocompleteItem[] | null => (items.length === 0 ? null : items);
