import {
	createBashToolDefinition,
	createEditToolDefinition,
	createFindToolDefinition,
	createGrepToolDefinition,
	createLsToolDefinition,
	createReadToolDefinition,
	createWriteToolDefinition,
	detectSupportedImageMimeTypeFromFile,
	getShellConfig,
	type SettingsManager,
	type ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import type { LaunchPlan } from "../plan/plan.ts";
import type { Ring } from "../sandbox/ring.ts";
import { RingedFiles } from "../sandbox/ringed-files.ts";
import { inSearchRing } from "../sandbox/search-ring.ts";
import { shellInRing } from "../sandbox/shell.ts";
import { keepingOutput } from "./kept-output.ts";
import { worksInRing } from "./ring.ts";

type Settings = Pick<SettingsManager, "getShellPath" | "getShellCommandPrefix" | "getImageAutoResize">;

/**
 * pi's own tools of a plan, made to start programs, read and write in a ring. Given to a session as custom tools, they
 * replace those of the same name. Leaves a tool alone that an extension has replaced.
 */
export function ringedTools(
	{ tools, cwd, extensionOf = {} }: LaunchPlan,
	{ ring, settings, tree }: { ring: () => Ring; settings: Settings; tree?: string | undefined },
): ToolDefinition[] {
	const granted = tools.filter((name) => worksInRing(name) && extensionOf[name] === undefined);
	const makers = toolMakers(tree ?? cwd, ring, settings);
	return granted.flatMap((name) => makers[name]?.() ?? []);
}

function toolMakers(cwd: string, ring: () => Ring, settings: Settings): Record<string, () => ToolDefinition> {
	const files = new RingedFiles(ring);
	const readFile = (path: string) => files.read(path);
	const writeFile = (path: string, content: string) => files.write(path, content);
	const access = (path: string) => files.access(path);
	const commandPrefix = settings.getShellCommandPrefix();
	return {
		bash: () => {
			const tool = createBashToolDefinition(cwd, {
				...(commandPrefix !== undefined && { commandPrefix }),
				operations: {
					exec: (command, folder, { env = process.env, timeout, signal, onData }) => {
						const { shell, args } = getShellConfig(settings.getShellPath());
						return shellInRing(ring(), {
							shell: [shell, ...args],
							command,
							cwd: folder,
							env,
							timeoutSeconds: timeout,
							signal,
							onData,
						});
					},
				},
			});
			return keepingOutput(asDefinition(tool), ring);
		},
		// Writing also creates the folders, in the same process.
		write: () => asDefinition(createWriteToolDefinition(cwd, { operations: { writeFile, mkdir: async () => {} } })),
		edit: () => asDefinition(createEditToolDefinition(cwd, { operations: { readFile, writeFile, access } })),
		read: () =>
			asDefinition(
				createReadToolDefinition(cwd, {
					autoResizeImages: settings.getImageAutoResize(),
					operations: {
						readFile,
						access,
						detectImageMimeType: (path) => files.describe(path, detectSupportedImageMimeTypeFromFile),
					},
				}),
			),
		grep: () =>
			inRingOfRun(
				ring,
				createGrepToolDefinition(cwd, {
					operations: {
						isDirectory: async (path) => (await files.stat(path)).isDirectory(),
						readFile: async (path) => (await readFile(path)).toString(),
					},
				}),
			),
		find: () => inRingOfRun(ring, createFindToolDefinition(cwd)),
		ls: () =>
			asDefinition(
				createLsToolDefinition(cwd, {
					operations: {
						exists: (path) =>
							files.access(path).then(
								() => true,
								() => false,
							),
						stat: (path) => files.stat(path),
						readdir: (path) => files.list(path),
					},
				}),
			),
	};
}

/** Each tool has a type of its own for its arguments, which a list of tools cannot express. */
const asDefinition = (tool: object): ToolDefinition => tool as ToolDefinition;

/** The tool, with its program running in the ring. */
function inRingOfRun(ring: () => Ring, made: object): ToolDefinition {
	const tool = asDefinition(made);
	return { ...tool, execute: (...call) => inSearchRing(ring(), () => tool.execute(...call)) };
}
