import type { ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { TSchema } from "typebox";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { WebServices } from "../../src/web/services.ts";
import { convertWorker } from "../helpers/repository.ts";
import { testFetch } from "./local-web.ts";

/** The defaults of the section, with some changed. */
export const settingsWith = (changes: Partial<Config["web"]> = {}): Config["web"] => ({
	...loadConfig({ userFile: "/no/such/file" }).config.web,
	...changes,
});

export const servicesWith = (settings: Partial<Config["web"]> = {}, env: NodeJS.ProcessEnv = {}): WebServices => ({
	fetch: testFetch,
	worker: convertWorker(),
	env,
	settings: () => settingsWith(settings),
});

interface CallOptions {
	cwd?: string;
	signal?: AbortSignal;
}

/** Executes a tool as pi would, and gives its text and its data. */
export async function callTool<Details>(
	tool: ToolDefinition<TSchema, Details>,
	args: object,
	{ cwd = "/", signal }: CallOptions = {},
): Promise<{ text: string; details: Details }> {
	const ctx = { cwd } as ExtensionContext;
	const { content, details } = await tool.execute("call", args, signal, undefined, ctx);
	const [part] = content;
	return { text: part?.type === "text" ? part.text : "", details };
}
