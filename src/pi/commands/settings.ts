import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_DIR_NAME, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import type { AutocompleteItem, SelectItem } from "@earendil-works/pi-tui";
import { inOneLine } from "../../collect/plain.ts";
import { editJson5, NotEditable } from "../../config/edit-json5.ts";
import { parseJson5 } from "../../config/json5.ts";
import { isTrustedByDecision, projectFolder } from "../../config/project-trust.ts";
import { type SettingNow, settingProblem, settingsNow } from "../../config/settings-list.ts";
import { writeWhole } from "../../files/write-whole.ts";
import { factsTo, wrapTo } from "../../operate/report/layout.ts";
import { messageOf } from "../../run/message-of.ts";
import { didYouMean } from "../../run/nearest.ts";
import { type CommandAnswer, type Subcommand, usage } from "./command.ts";
import { chooseFrom } from "./list-dialog.ts";
import { widthFor } from "./show.ts";
import { firstWord } from "./words.ts";

/** The word that removes a setting from the user's file. */
const DEFAULT = "default";
const CHANGE = "Change it";
const BACK = "Back";
const LONGEST_VALUE = 60;

/** `/subagents settings`: a screen in the terminal, a report elsewhere; with a key and a value it changes one anywhere. */
export function settingsCommand(openSession: () => ExtensionContext | undefined): Subcommand {
	const settings: Subcommand = {
		name: "settings",
		takes: `[key] [value|${DEFAULT}]`,
		does: "show each setting with its value, source and default, or change one",
		async run(args, ctx, command) {
			const { word: key, rest: value } = firstWord(args);
			if (key === "") return ctx.mode === "tui" ? browseSettings(ctx) : settingsReport(ctx);
			const found = settingsFor(ctx).find((one) => one.key === key);
			if (!found) {
				const known = settingsFor(ctx).map((one) => one.key);
				return {
					problem: `There is no setting "${inOneLine(key)}".${didYouMean(key, known)} Usage: ${usage(command, settings)}`,
				};
			}
			return value === "" ? aboutSetting(found, widthFor(ctx)) : changeSetting(ctx, found, value);
		},
		async complete(typed) {
			const ctx = openSession();
			return ctx && !/\S\s/.test(typed) ? settingItems(ctx, typed.trim()) : [];
		},
	};
	return settings;
}

export const userConfigFile = (): string => join(getAgentDir(), "pi-geon.json");

function settingsFor(ctx: ExtensionContext): SettingNow[] {
	const projectFile = join(projectFolder(ctx), CONFIG_DIR_NAME, "pi-geon.json");
	return settingsNow({ userFile: userConfigFile(), ...(isTrustedByDecision(ctx) && { projectFile }) });
}

/** Shows the list until the user leaves it. */
async function browseSettings(ctx: ExtensionContext): Promise<CommandAnswer> {
	let chosen: string | undefined;
	for (;;) {
		const all = settingsFor(ctx);
		const title = `pi-geon settings, in ${inOneLine(userConfigFile())}`;
		chosen = await chooseFrom(ctx, title, all.map(settingRow), chosen);
		const setting = all.find(({ key }) => key === chosen);
		if (!setting) return undefined;
		await changeInDialogs(ctx, setting);
	}
}

const FROM: Readonly<Record<SettingNow["source"], string>> = {
	default: "",
	user: " (yours)",
	project: " (the project's)",
	unusable: " (the default; yours is invalid)",
};

async function changeInDialogs(ctx: ExtensionContext, setting: SettingNow): Promise<void> {
	const title = aboutSetting(setting, widthFor(ctx)).join("\n");
	const isSwitch = typeof setting.default === "boolean";
	const toDefault = setting.source === "default" ? [] : ["Reset to the default"];
	const choices = [...(isSwitch ? [`Set it to ${!setting.value}`] : [CHANGE]), ...toDefault, BACK];
	const chosen = await ctx.ui.select(title, choices);
	if (chosen === undefined || chosen === BACK) return;
	const value =
		chosen === CHANGE
			? await ctx.ui.input(`${setting.key} (${setting.expected}), now ${shownSetting(setting, setting.value)}`)
			: toDefault.includes(chosen)
				? DEFAULT
				: String(!setting.value);
	if (value === undefined || value.trim() === "") return;
	const answer = changeSetting(ctx, setting, value);
	if (Array.isArray(answer)) ctx.ui.notify(answer.join("\n"), "info");
	else ctx.ui.notify(answer.problem, "error");
}

/** Writes the user's own file. A project's file has to be edited by hand, since other people use it too. */
function changeSetting(ctx: ExtensionContext, { key }: SettingNow, typed: string): string[] | { problem: string } {
	const value = typed.trim() === DEFAULT ? undefined : typedValue(typed);
	const problem = value === undefined ? undefined : settingProblem(key, value);
	if (problem !== undefined) return { problem: `${key}: ${inOneLine(problem)} Nothing was changed.` };
	try {
		writeUserSetting(key.split("."), value);
	} catch (error) {
		const byHand = error instanceof NotEditable || error instanceof SyntaxError;
		const remedy = byHand ? " Edit it by hand." : "";
		return { problem: `${userConfigFile()} was not changed: ${inOneLine(messageOf(error))}.${remedy}` };
	}
	const now = settingsFor(ctx).find((one) => one.key === key);
	const holds = now ? `${key} is now ${shownSetting(now, now.value)}.` : "";
	return [now?.source === "project" ? `${holds} The project's file sets it for this project.` : holds];
}

/** Sets a value in the user's file, or removes it. */
export function writeUserSetting(path: readonly string[], value: unknown): void {
	writeWhole(userConfigFile(), editJson5(textOrNone(userConfigFile()), path, value));
}

function textOrNone(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
		throw error;
	}
}

/** Reads JSON5, or else a single word without quotes. */
function typedValue(typed: string): unknown {
	try {
		return parseJson5(typed);
	} catch (error) {
		if (error instanceof SyntaxError) return typed.trim();
		throw error;
	}
}

function settingsReport(ctx: ExtensionContext): string[] {
	const all = settingsFor(ctx);
	const width = widthFor(ctx);
	return [
		"pi-geon settings",
		"",
		...factsTo(
			width,
			all.map((one) => ({
				name: one.key,
				value: `${shownSetting(one, one.value)}${FROM[one.source]}${defaultOf(one)}`,
			})),
		),
		"",
		...wrapTo(width, `Your file: ${userConfigFile()}. \`/subagents settings <key> <value>\` changes a value there.`),
	];
}

const defaultOf = (one: SettingNow): string =>
	one.source === "user" || one.source === "project" ? `, default ${shownSetting(one, one.default)}` : "";

const aboutSetting = (one: SettingNow, width: number): string[] => [
	one.key,
	...factsTo(width, [
		{ name: "value", value: `${shownSetting(one, one.value)}${FROM[one.source]}` },
		{ name: "default", value: shownSetting(one, one.default) },
		{ name: "accepts", value: one.expected },
	]),
];

/** Keeps API keys off the screen. */
function shownSetting({ key }: SettingNow, value: unknown): string {
	if (key.endsWith(".apiKey") && value !== null) return "(set, not shown)";
	const text = inOneLine(JSON.stringify(value) ?? "");
	return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…`.toWellFormed() : text;
}

const settingRow = (one: SettingNow): SelectItem => ({
	value: one.key,
	label: one.key,
	description: `${shownSetting(one, one.value)}${FROM[one.source]}`,
});

const settingItems = (ctx: ExtensionContext, begun: string): AutocompleteItem[] =>
	settingsFor(ctx)
		.filter(({ key }) => key.startsWith(begun) && key !== begun)
		.map((one) => ({ ...settingRow(one), value: `${one.key} ` }));
