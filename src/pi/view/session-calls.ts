import type { Theme } from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import { GENERAL } from "../../plan/general.ts";
import { callView, type ShownCall } from "./call-lines.ts";
import { fieldsOf, type StoredFields, textOf } from "./stored.ts";

/** How a session tool's call is drawn, from its arguments. */
const drawnCall =
	(read: (args: StoredFields) => ShownCall) =>
	(stored: unknown, theme: Theme, shown: { expanded: boolean }): Component =>
		callView(read(fieldsOf(stored) ?? {}), theme, shown);

export const renderSpawnCall = drawnCall(({ agent, label, task }) => ({
	tool: "sessions_spawn",
	name: textOf(agent) ?? GENERAL.name,
	label: textOf(label),
	text: textOf(task),
}));

export const renderSendCall = drawnCall(({ sessionKey, label, message }) => ({
	tool: "sessions_send",
	name: textOf(label) ?? shortKey(sessionKey),
	text: textOf(message),
}));

export const renderListCall = drawnCall(() => ({ tool: "sessions_list" }));

export const renderHistoryCall = drawnCall(({ sessionKey }) => ({
	tool: "sessions_history",
	name: shortKey(sessionKey),
}));

export const renderApplyCall = drawnCall(({ run, undo }) => ({
	tool: "sessions_apply",
	name: textOf(run),
	...(undo === true && { text: "revert" }),
}));

export const renderPrincipalsCall = drawnCall(() => ({ tool: "agents_list" }));

/** Enough of agent:main:subagent:<session id> to tell sessions apart. */
const shortKey = (stored: unknown): string | undefined => textOf(stored)?.split(":").at(-1)?.slice(0, 8);
