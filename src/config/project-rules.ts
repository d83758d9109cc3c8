import { coversHost, type NetworkSetting } from "../run/network.ts";
import { THINKING_LEVELS, type ThinkingLevel } from "../run/thinking.ts";
import { SANDBOX_MODES, type SandboxMode } from "./config.ts";
import type { Merged } from "./setting.ts";

/**
 * What a project's file may do to a setting. All but `freely` protect the user: a tighter value is accepted, a looser one
 * is not.
 */

export const freely = <T>(_mine: T, theirs: T): Merged<T> => ({ value: theirs });

export function onlyOff(mine: boolean, theirs: boolean): Merged<boolean> {
	return mine || !theirs ? { value: theirs } : { value: mine, ignored: "a project may turn this off, not on" };
}

/** `null` means no limit, so it is above every number. */
export function onlyLower<T extends number | null>(mine: T, theirs: T): Merged<T> {
	const lower = (theirs ?? Number.POSITIVE_INFINITY) <= (mine ?? Number.POSITIVE_INFINITY);
	return lower ? { value: theirs } : { value: mine, ignored: `a project may lower this below ${mine}, not raise it` };
}

/** Like `onlyLower`, for a limit where 0 means none. */
export function onlyShorter(mine: number, theirs: number): Merged<number> {
	if ((theirs || Number.POSITIVE_INFINITY) <= (mine || Number.POSITIVE_INFINITY)) return { value: theirs };
	const undone = theirs === 0 ? "remove it (0 means no limit)" : "raise it";
	return { value: mine, ignored: `a project may lower this below ${mine}, not ${undone}` };
}

/** `null` is the parent's level, which is unknown here, so a project can lower only a level that the user's file sets. */
export function onlyLessThinking(
	mine: ThinkingLevel | null,
	theirs: ThinkingLevel | null,
): Merged<ThinkingLevel | null> {
	if (theirs === mine || theirs === "off") return { value: theirs };
	if (mine === null) return { value: mine, ignored: "a project may lower a level that your own file sets, or say off" };
	const lower = theirs !== null && THINKING_LEVELS.indexOf(theirs) < THINKING_LEVELS.indexOf(mine);
	return lower ? { value: theirs } : { value: mine, ignored: `a project may lower this below ${mine}, not raise it` };
}

export function onlyFewer<T>(mine: readonly T[], theirs: readonly T[]): Merged<readonly T[]> {
	const added = theirs.filter((item) => !mine.includes(item));
	const value = theirs.filter((item) => mine.includes(item));
	return added.length === 0 ? { value } : { value, ignored: `a project may not add ${added.join(", ")}` };
}

export function onlyMore<T>(mine: readonly T[], theirs: readonly T[]): Merged<readonly T[]> {
	return { value: [...new Set([...mine, ...theirs])] };
}

/** For a list that restricts: a project may add a list or shorten it, but not remove it. */
export function onlyNarrower<T>(mine: readonly T[] | null, theirs: readonly T[] | null): Merged<readonly T[] | null> {
	if (mine === null) return { value: theirs };
	if (theirs === null) return { value: mine, ignored: "a project may shorten this list, not remove it" };
	return onlyFewer(mine, theirs);
}

export function onlyStricter(mine: SandboxMode, theirs: SandboxMode): Merged<SandboxMode> {
	if (SANDBOX_MODES.indexOf(theirs) >= SANDBOX_MODES.indexOf(mine)) return { value: theirs };
	return { value: mine, ignored: `a project may make this stricter than ${mine}, not looser` };
}

export function onlyRefusing(mine: "warn" | "refuse", theirs: "warn" | "refuse"): Merged<"warn" | "refuse"> {
	if (theirs === "refuse" || mine === "warn") return { value: theirs };
	return { value: mine, ignored: "a project may refuse more, not less" };
}

/** `null` is off for most runs, so a project may only turn it off. */
export function onlyLessNetwork(
	mine: NetworkSetting | null,
	theirs: NetworkSetting | null,
): Merged<NetworkSetting | null> {
	if (theirs === "off" || theirs === mine) return { value: theirs };
	const patterns = mine === null || typeof mine === "string" ? [] : mine;
	const isAllowed = (host: string) => mine === "on" || patterns.some((pattern) => coversHost(pattern, host));
	if (theirs !== null && typeof theirs !== "string" && theirs.every(isAllowed)) return { value: theirs };
	return { value: mine, ignored: "a project may reach less of the network, not more" };
}

export const never = <T>(mine: T): Merged<T> => ({ value: mine, ignored: "a project may not set this" });
