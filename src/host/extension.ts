import { writeSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type ExtensionAPI, getAgentDir } from "@earendil-works/pi-coding-agent";
import { hostRing } from "../child/host-ring.ts";
import { freshModelRuntimes } from "../child/models.ts";
import { WATCHABLE } from "../child/provider-watch.ts";
import { reportProviders } from "../child/providers-command.ts";
import { tryRingAhead } from "../child/ring.ts";
import { clearLeftTrees } from "../child/tree.ts";
import { startWork } from "../child/work.ts";
import { currentRedactor } from "../collect/redact/current-redactor.ts";
import type { Redactor } from "../collect/redact/redactor.ts";
import { inDoubt } from "../config/in-doubt.ts";
import { loadConfig } from "../config/load.ts";
import { packageRoot } from "../config/package-root.ts";
import { followPlans } from "../config/project-trust.ts";
import { findHost } from "../ledger/hosts.ts";
import { openLedger } from "../ledger/ledger.ts";
import { placesIn } from "../ledger/places.ts";
import { isOfPool, type ProfileKey, poolOf } from "../ledger/profile-key.ts";
import { waitOutTrouble } from "../ledger/wait-out.ts";
import { logTo } from "../log/log.ts";
import type { LaunchPlan } from "../plan/plan.ts";
import { treesRoot } from "../plan/session-place.ts";
import type { Courier } from "../pool/courier/courier.ts";
import { HOST_COMMAND, HOST_MEMORY, NODE_ARGUMENTS } from "../processes/command.ts";
import { removeHostFolder } from "../processes/host-folders.ts";
import { START_WITHIN_MS } from "../processes/lease.ts";
import { PROVIDERS_COMMAND } from "../processes/providers-protocol.ts";
import { systemPorts } from "../processes/system-ports.ts";
import { isHostId } from "../run/ids.ts";
import { type RunTraces, runTraces } from "../traces/run-traces.ts";
import { Host } from "./serve.ts";
import { warmUp } from "./warm-up.ts";

const DEFAULT_IDLE_MS = 60_000;
const LEAVE_WITHIN_MS = 1000;
/** How long to wait for spans that are not sent yet. */
const TRACES_WITHIN_MS = 3000;
/** How long a host of a pool may take to close its connections. */
const CLOSE_WITHIN_MS = 3000;

/** The tools that most children have. */
const TOOL_ENTRIES = {
	tools: ["read", "grep", "find", "ls", "lsp"],
	extensions: [join(packageRoot(), "dist", "lsp.js")],
};

/**
 * The extension that makes a pi process a host. Its main command returns only when the host leaves. That keeps a pi in print
 * mode alive, in the npm package and in the compiled binary alike.
 */
export default function hostExtension(pi: ExtensionAPI): void {
	let host: Host | undefined;
	let traces: RunTraces | undefined;
	// The first run needs the answer. Other programs can test the ring while this process still loads pi.
	tryRingAhead();
	pi.registerCommand(HOST_COMMAND, {
		description: "Internal: runs child sessions until they are no longer needed",
		handler: async (args, { ui, model }) => {
			const id = args.trim();
			if (!isHostId(id)) throw new Error(`/${HOST_COMMAND} is started by pi-geon, with the id of a host.`);
			// For this process only: a worker thread with these arguments would not start.
			process.execArgv = process.execArgv.filter((argument) => !NODE_ARGUMENTS.includes(argument));
			followPlans();
			const agentDir = getAgentDir();
			const redactor = currentRedactor(agentDir);
			guardOutput(redactor);
			const places = placesIn(agentDir);
			// For this process only: programs that its tools start must not write into our folder.
			const caches: unknown[] = [places.compiled, places.ringed.compiled];
			if (caches.includes(process.env.NODE_COMPILE_CACHE)) delete process.env.NODE_COMPILE_CACHE;
			for (const [name, value] of Object.entries(HOST_MEMORY))
				if (process.env[name] === value) delete process.env[name];
			const ring = hostRing();
			process.once("exit", () => removeHostFolder(places, id));
			const patience = { clock: systemPorts.clock, withinMs: START_WITHIN_MS };
			const ledger = await waitOutTrouble(() => openLedger(places.ledger), patience);
			ledger.redact = redactor.redact;
			const log = logTo({
				context: { role: "host", pid: process.pid, host: id },
				// The process that started this one connected stderr to the host's log, so that the log also gets the last
				// words of a crash.
				write: writeLog,
				redact: redactor.redactValue,
				isWrittenLate: true,
			});
			ledger.onUnreadable = ({ id: runId, problem }) =>
				log.error("a row of the ledger cannot be read", { runId, problem });
			if (ring.why !== undefined) log.warn("no sandbox for this host", { why: ring.why });
			const record = await waitOutTrouble(() => findHost(ledger, id), patience);
			if (!record) throw new Error(`The ledger knows no host ${id}.`);
			const models = freshModelRuntimes(agentDir);
			const courier = isOfPool(record.profile) ? await courierFor(record.profile) : undefined;
			const trees = { ledger, places, root: treesRoot(agentDir, homedir()) };
			const redactorFor = ({ principal: { agentDir: ownDir }, cwd }: Pick<LaunchPlan, "principal" | "cwd">) =>
				currentRedactor(agentDir, { principal: ownDir, cwd });
			traces = runTraces({ log, redactorFor });
			host = new Host({
				id,
				profile: record.profile,
				runsHooks: ring.enforced !== "kernel",
				forOneRun: record.profile.ownRun !== undefined,
				socket: record.socket,
				idleMs: Number(process.env.PI_GEON_HOST_IDLE_MS) || DEFAULT_IDLE_MS,
				ledger,
				places,
				ports: systemPorts,
				startWork: courier?.startWork ?? startWork,
				log,
				retentionDays: () => retentionDays(agentDir),
				traces,
				childServices: (plan) => ({
					agentDir: plan.principal.agentDir ?? agentDir,
					openModels: (extensions) => models(plan.principal.agentDir, extensions),
					redactor: redactorFor(plan),
					trees,
					ui,
				}),
				warmUp: async (isIdle) => {
					if (courier) return;
					const api = model?.api;
					// Only for APIs whose requests can be answered here: no request may leave this process.
					if (api === undefined || !WATCHABLE.has(api)) return;
					await models();
					await warmUp({ hostId: id, agentDir, cwd: places.dir, api, ...TOOL_ENTRIES, redactor, ui, isIdle });
				},
			});
			/** For a host that posts its runs to a pool. */
			async function courierFor({ digest }: ProfileKey): Promise<Courier> {
				const [{ Courier }, { poolNamed }] = await Promise.all([
					import("../pool/courier/courier.ts"),
					import("../pool/address.ts"),
				]);
				const { config } = loadConfig({ userFile: join(agentDir, "pi-geon.json") });
				const settings = poolNamed(poolOf(digest), config.pools);
				return new Courier({ settings, env: process.env, ledger, places, agentDir, clock: systemPorts.clock, log });
			}
			const clearing = { at: Date.now(), retentionDays: retentionDays(agentDir) ?? Number.POSITIVE_INFINITY };
			clearLeftTrees({ agentDir, trees }, clearing).then(
				(cleared) => cleared && log.info("cleaned up trees of dead hosts", { ...cleared }),
				(error) => log.warn("could not clean up trees of dead hosts", { error }),
			);
			try {
				await host.serve();
			} finally {
				// With a time limit, since its database may not answer.
				if (courier) await Promise.race([courier.close(), systemPorts.clock.sleep(CLOSE_WITHIN_MS)]);
				ledger.close();
				await traces?.finish(TRACES_WITHIN_MS);
				// pi exits by itself once nothing keeps it running, but a child that never settled, or a request that its
				// provider never answered, may keep it.
				setTimeout(() => process.exit(), LEAVE_WITHIN_MS).unref();
			}
		},
	});
	pi.registerCommand(PROVIDERS_COMMAND, {
		description: "Internal: reports which providers some extensions register",
		handler: (args) => reportProviders(args.trim()),
	});
	pi.on("session_shutdown", async () => {
		host?.abandon();
		await traces?.finish(LEAVE_WITHIN_MS);
	});
}

/**
 * Output of pi and of the children's extensions goes to the log, redacted like everything else. The log is on the same disk
 * as the rest: a failed write must not end the process.
 */
function guardOutput({ redact }: Redactor): void {
	for (const stream of [process.stdout, process.stderr]) {
		stream.on("error", () => {});
		const write = stream.write.bind(stream);
		// Text for readers does not use the other overloads, which name an encoding.
		stream.write = (chunk: string | Uint8Array, ...rest: never[]) =>
			write(redact(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()), ...rest);
	}
}

/** Bypasses the stream, which stays closed after its first failure. */
function writeLog(line: string): void {
	try {
		writeSync(STDERR, line);
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error; // A full disk: the line is lost, the host is not.
	}
}

const STDERR = 2;

/** Undefined if one of the user's files cannot be read: the default must not remove what that file may keep. */
function retentionDays(agentDir: string): number | undefined {
	const { config, diagnostics } = loadConfig({ userFile: join(agentDir, "pi-geon.json") });
	return inDoubt(diagnostics, ["retentionDays"]).length > 0 ? undefined : config.retentionDays;
}
