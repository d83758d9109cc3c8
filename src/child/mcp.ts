import { homedir } from "node:os";
import { resolve } from "node:path";
import type { ExtensionAPI, ExtensionContext, ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { inOneLine } from "../collect/plain.ts";
import { listed } from "../plan/left-out.ts";
import type { SessionId } from "../run/ids.ts";
import { isRecord } from "../run/is-record.ts";
import { legible } from "../run/legible.ts";
import { RESOURCE_TOOLS } from "../run/pi-tools.ts";
import { quoted, shortened } from "../run/quoted.ts";
import { type Ring, ringCommandFrom } from "../sandbox/ring.ts";
import { type McpServer, namespaceOf, readMcpConfig, serverOf } from "./mcp-config.ts";

/** How long pi itself lets a first prompt wait for the servers whose tools it declares to the model. */
const READY_WITHIN_MS = 10_000;

const MCP_REMEDY = "Check its entry in mcp.json with /mcp in pi.";

/** Text from others inside one of our lines: cut, and without quotation marks, which would end it early. */
const theirWords = (text: string): string => quoted(inOneLine(legible(text)).replaceAll('"', "'"));

/** Quotes the reason, because the message of a JSON parser contains parts of the file. */
function ofFile(error: string): string {
	const [file = "", ...why] = error.split(": ");
	return `MCP: correct ${file}: ${theirWords(why.join(": "))}.`;
}

/** What pi's `createMcpExtension` takes and gives, as far as it is used here. */
export type CreateMcpExtension = (options: {
	loadConfig: () => { servers: object[]; autoEnableCodemode: boolean; errors: string[] };
	startupWaitMs: number;
}) => ExtensionFactory;

interface McpSetup {
	create: CreateMcpExtension;
	/** The MCP tools of the plan. */
	tools: readonly string[];
	agentDir: string;
	cwd: string;
	projectTrusted: boolean;
	sessionId: SessionId;
	/** The ring in which its servers run, if the kernel supports rings. */
	ring?: (() => Ring) | undefined;
}

/**
 * The MCP servers of one child. It has its own connections, which end with its session, and only to the servers of its tools.
 * Its model sees only those tools, however the parent reaches them.
 */
export class ChildMcp {
	readonly factory: ExtensionFactory;
	readonly #setup: McpSetup;
	readonly #config;
	readonly #offered = new Set<string>();
	/** The servers that have listed their tools. */
	readonly #connected = new Set<string | undefined>();
	readonly #closers: (() => unknown)[] = [];
	/** pi's report about failed servers, once all have connected or failed. */
	#troubles: string | undefined;
	#onChange = () => {};

	constructor(setup: McpSetup) {
		// `mcp__github__*` means the same as `mcp__github`.
		this.#setup = { ...setup, tools: setup.tools.map((name) => name.replace(/__\*$/, "")) };
		this.#config = readMcpConfig(setup);
		const extension = setup.create({
			loadConfig: () => ({ servers: this.#servers(), autoEnableCodemode: false, errors: [] }),
			// The child waits before its first prompt instead.
			startupWaitMs: 0,
		});
		this.factory = (pi) => extension(this.#watched(pi));
	}

	/** The tools that pi should allow the child. pi needs a pattern where a name stands for all tools of a server. */
	get allowed(): string[] {
		return this.#setup.tools.map((name) => (this.#isWholeServer(name) ? `${name}__*` : name));
	}

	isGranted(tool: string): boolean {
		return this.#setup.tools.some(
			(name) => name === tool || (this.#isWholeServer(name) && tool.startsWith(`${name}__`)),
		);
	}

	/** Waits until the tools are available, or some will (probably) stay missing. Returns a warning for each server. */
	async missing(): Promise<string[]> {
		const { promise: ready, resolve } = Promise.withResolvers<void>();
		const timer = setTimeout(resolve, READY_WITHIN_MS);
		const isConnecting = (server: string | undefined) => server !== undefined && !this.#connected.has(server);
		const mayCome = (tool: string) =>
			RESOURCE_TOOLS.has(tool)
				? this.#config.servers.some(({ name }) => isConnecting(name))
				: isConnecting(this.#serverOf(tool));
		this.#onChange = () => {
			if (this.#troubles !== undefined || !this.#absent().some(mayCome)) resolve();
		};
		this.#onChange();
		await ready;
		clearTimeout(timer);
		return this.#warnings();
	}

	/** Ends the servers of this child. */
	async close(): Promise<void> {
		await Promise.all(this.#closers.map((close) => close()));
	}

	#serverOf(tool: string): string | undefined {
		return serverOf(tool, this.#config.servers)?.name;
	}

	#isWholeServer(name: string): boolean {
		const server = serverOf(name, this.#config.servers);
		return server ? name === namespaceOf(server.name) : /^mcp__((?!__).)+$/.test(name);
	}

	#absent(): string[] {
		const offered = [...this.#offered];
		return this.#setup.tools.filter((name) =>
			this.#isWholeServer(name) ? !offered.some((tool) => tool.startsWith(`${name}__`)) : !this.#offered.has(name),
		);
	}

	#warnings(): string[] {
		const byServer = Map.groupBy(this.#absent(), (tool) => this.#serverOf(tool));
		const warnings = [...byServer].map(([server, tools]) => `${this.#whyAbsent(server)} Left out: ${listed(tools)}.`);
		return warnings.length === 0 ? [] : [...warnings, ...this.#config.errors.map(ofFile)];
	}

	#whyAbsent(server: string | undefined): string {
		if (server === undefined) {
			return "No mcp.json that is read here has a server for some MCP tools. Add the server, or remove the tools from the agent's file.";
		}
		const begins = `${server}: `;
		const trouble = this.#troubles?.split("\n").find((line) => line.trim().startsWith(begins));
		const name = shortened(server);
		if (trouble !== undefined) {
			const said = trouble.trim().slice(begins.length);
			return `The MCP server ${name} cannot be used. ${MCP_REMEDY}${this.#whereItRan(server)} pi's report, which may quote the server: ${theirWords(said)}.`;
		}
		if (this.#connected.has(server)) {
			return `The MCP server ${name} does not offer some tools. Correct their names in the agent's file.`;
		}
		return `The MCP server ${name} was not ready within ${READY_WITHIN_MS / 1000} s. ${MCP_REMEDY}${this.#whereItRan(server)}`;
	}

	/** A server may fail here although it works in pi, where it has the network and can write in the home folder. */
	#whereItRan(server: string): string {
		const { ring } = this.#setup;
		const entry = this.#config.servers.find(({ name }) => name === server);
		if (!ring || typeof entry?.config.command !== "string") return "";
		const began = " It was started in the subagent's sandbox, which";
		const { network } = ring().setup;
		return network === "on"
			? `${began} cannot write in your home folder.`
			: `${began} ${network === "off" ? "has no network" : "reaches some hosts only"}: subagents.sandbox.network in pi-geon.json or \`network\` in the agent's file changes that.`;
	}

	/** The servers of the granted tools. Their other tools are hidden from the model. */
	#servers(): object[] {
		const { tools, sessionId } = this.#setup;
		const needsAll = tools.some((tool) => RESOURCE_TOOLS.has(tool));
		return this.#config.servers.flatMap((server) => {
			const granted = tools.filter((tool) => this.#serverOf(tool) === server.name);
			if (granted.length === 0 && !(needsAll && server.config.exposure !== "hidden")) return [];
			const config = {
				...server.config,
				...exposureOf(server, granted),
				// pi offers the resources only of servers that are not hidden, and excludes their other tools by name.
				...(needsAll && { exposure: "direct" }),
				// These variables identify a leftover process.
				...(typeof server.config.command === "string" && {
					env: { ...(server.config.env as object), PI_SESSION_ID: sessionId, PI_SUBAGENT_CHILD: "1" },
					...this.#ringed(server.config.command, server.config),
				}),
			};
			return [{ ...server, config }];
		});
	}

	/** A local server runs in the ring of its run, in the same folder as without a ring. */
	#ringed(command: string, { args, env, cwd }: McpServer["config"]): { command?: string; args?: string[] } {
		const { ring, cwd: folder } = this.#setup;
		if (!ring) return {};
		const own = typeof cwd === "string" ? resolve(folder, cwd.replace(/^~(?=\/)/, homedir())) : folder;
		const given = Object.keys(isRecord(env) ? env : {});
		const whole = [command, ...(Array.isArray(args) ? args.map(String) : [])];
		const [program, ...rest] = ringCommandFrom(ring(), whole, { cwd: own, given });
		return { ...(program !== undefined && { command: program }), args: rest };
	}

	/** pi's view of an extension, which tells us what pi's MCP support registers, reports, and does when a session ends. */
	#watched(pi: ExtensionAPI): ExtensionAPI {
		const registerTool = (tool: Parameters<ExtensionAPI["registerTool"]>[0]) => {
			pi.registerTool(tool);
			// pi (>= 0.99) registers hidden tools too.
			if (Reflect.get(tool, "exposure") === "hidden") this.#offered.delete(tool.name);
			else this.#offered.add(tool.name);
			this.#connected.add(this.#serverOf(tool.name));
			// pi registers all tools of a server at once.
			setImmediate(() => this.#onChange());
		};
		const on = (event: string, handler: (event: unknown, ctx: ExtensionContext) => unknown) => {
			if (event === "session_shutdown") this.#closers.push(() => handler({ type: event }, {} as ExtensionContext));
			const listen = pi.on as (event: string, handler: unknown) => unknown;
			if (event !== "session_start") return listen(event, handler);
			return listen(event, (start: unknown, ctx: ExtensionContext) => handler(start, this.#quiet(ctx)));
		};
		return Object.create(pi, { registerTool: { value: registerTool }, on: { value: on } }) as ExtensionAPI;
	}

	/** There is no user to run /mcp: problems of servers become warnings of the run. */
	#quiet(ctx: ExtensionContext): ExtensionContext {
		const notify = (message: string) => {
			this.#troubles = message;
			this.#onChange();
		};
		return Object.create(ctx, {
			ui: { value: Object.create(ctx.ui, { notify: { value: notify } }) },
		}) as ExtensionContext;
	}
}

/** Tools that the user has hidden stay hidden, even if they were unknown when the run was planned. */
function exposureOf(server: McpServer, granted: readonly string[]): { exposure: string; toolExposure: object } {
	const { exposure, toolExposure } = server.config;
	if (granted.includes(namespaceOf(server.name))) {
		const direct = (value: unknown) => (value === "hidden" ? "hidden" : "direct");
		const rules = Object.entries(isRecord(toolExposure) ? toolExposure : {});
		return {
			exposure: direct(exposure),
			toolExposure: Object.fromEntries(rules.map(([tool, value]) => [tool, direct(value)])),
		};
	}
	const own = granted.map((tool) => tool.slice(`${namespaceOf(server.name)}__`.length));
	const patterns = own.filter((tool) => !isHidden(server.config, tool)).flatMap(patternsFor);
	return { exposure: "hidden", toolExposure: Object.fromEntries(patterns.map((pattern) => [pattern, "direct"])) };
}

/** pi's rule: the tool's own name, else the first pattern, else the server's. */
function isHidden({ exposure, toolExposure }: McpServer["config"], tool: string): boolean {
	const rules = Object.entries(isRecord(toolExposure) ? toolExposure : {}).map(
		([key, value]) => [key.replaceAll(/[^A-Za-z0-9_*]/g, "_"), value] as const,
	);
	const fits = (key: string) => key.includes("*") && new RegExp(`^${key.replaceAll("*", ".*")}$`).test(tool);
	const rule = rules.find(([key]) => key === tool) ?? rules.find(([key]) => fits(key));
	return (rule ? rule[1] : exposure) === "hidden";
}

/**
 * Patterns for a tool's own name, which pi has changed: `flood-it` of `tester` is `mcp__tester__flood_it`. Other tools that
 * match are not in the plan, and pi excludes them by name.
 */
function patternsFor(tool: string): string[] {
	// Long names, and those that would be the same, end with a digest.
	const digest = /_[0-9a-f]{8}$/;
	const pattern = (text: string) => text.replaceAll("_", "*");
	return [pattern(tool), ...(digest.test(tool) ? [`${pattern(tool.replace(digest, ""))}*`] : [])];
}
