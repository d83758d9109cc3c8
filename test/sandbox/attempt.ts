import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SECRET, type World } from "./world.ts";

export interface Call {
	tool: "bash" | "read" | "write" | "edit" | "ls" | "grep" | "find";
	args: Record<string, unknown>;
}

/** Something that a child may try. */
export interface Attempt {
	boundary: string;
	/** Also the mark that it leaves where it gets through. */
	name: string;
	call(world: World, mark: string): Call;
	/** Whether the boundary held, as seen from outside. `said`: what the model is told. */
	held(world: World, mark: string, said: string): boolean;
	/** It is about the user's checkout, where some runs may write. */
	checkout?: true;
	/** Would harm the machine where nothing holds it. */
	onlyInRing?: true;
	/** Nothing holds it back where root makes it, or only root can do it at all. */
	asRoot?: true;
}

export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
export const bash = (command: string): Call => ({ tool: "bash", args: { command, timeout: 20 } });
export const node = (code: string): Call => bash(`${quote(process.execPath)} -e ${quote(code)}`);

export const python = (code: string): Call => bash(`python3 -c ${quote(code)}`);
/** Makes a call of the system by its number on x86-64 and on arm64, and says so if it was let through. */
export const calls = ([x64, arm64]: readonly [number, number], args: string): Call =>
	python(
		[
			"import ctypes, os; l = ctypes.CDLL(None, use_errno=True); b = ctypes.create_string_buffer(256)",
			`n = {"x86_64": ${x64}, "aarch64": ${arm64}}[os.uname().machine]`,
			`print("made-it" if l.syscall(n, ${args}) >= 0 else os.strerror(ctypes.get_errno()))`,
		].join("; "),
	);

export const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");
export const untouched = (path: string): boolean => textOf(path) === "as it was\n";
export const isAbsent = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) === undefined;
export const isSecret = (_world: World, _mark: string, said: string): boolean => !said.includes(SECRET);
export const isNotMade = (_world: World, _mark: string, said: string): boolean => !said.includes("made-it");
export const isUnheard = ({ heard }: World, mark: string): boolean => ![...heard].some((said) => said.includes(mark));

/** A file that must not appear. */
export const creates = (boundary: string, name: string, path: (world: World, mark: string) => string): Attempt => ({
	boundary,
	name,
	call: (world, mark) =>
		bash(`mkdir -p "$(dirname ${quote(path(world, mark))})"; echo ${mark} > ${quote(path(world, mark))}`),
	held: (world, mark) => isAbsent(path(world, mark)) || !textOf(path(world, mark)).includes(mark),
});

/** A file that must stay as it was. */
export const changes = (
	name: string,
	path: (world: World) => string,
	call: (path: string, mark: string, world: World) => Call,
	boundary = "writes",
): Attempt => ({
	boundary,
	name,
	call: (world, mark) => call(path(world), mark, world),
	held: (world) => untouched(path(world)),
});

export const appends = (path: string, mark: string): Call => bash(`echo ${mark} >> ${quote(path)}`);
export const inCheckout = (attempt: Attempt): Attempt => ({ ...attempt, checkout: true });
export const asRoot = (attempt: Attempt): Attempt => ({ ...attempt, asRoot: true });
export const onlyInRing = (attempt: Attempt): Attempt => ({ ...attempt, onlyInRing: true });

export const changedBy = (name: string, script: (path: string) => string, options: Partial<Attempt> = {}): Attempt => ({
	...changes(
		name,
		({ outside }) => join(outside, "file"),
		(path) => bash(script(path)),
		"mounts and namespaces",
	),
	...options,
});

export const isAlive = ({ bystander }: World): boolean => bystander.exitCode === null && bystander.signalCode === null;

export function isRunning(commandLine: string): boolean {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.some((pid) => {
			try {
				return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim() === commandLine;
			} catch {
				return false; // It has finished meanwhile.
			}
		});
}

export const reads = (name: string, path: (world: World) => string, boundary = "reads of secrets"): Attempt[] => [
	{ boundary, name: `shell-${name}`, call: (world) => bash(`cat ${quote(path(world))}`), held: isSecret },
	{
		boundary,
		name: `read-tool-${name}`,
		call: (world) => ({ tool: "read", args: { path: path(world) } }),
		held: isSecret,
	},
];

export const connects = (port: number, host: string, mark: string): Call =>
	node(
		`const s=require("net").connect(${port},${JSON.stringify(host)},()=>s.end(${JSON.stringify(mark)}));s.on("error",e=>{console.error(e.message);process.exit(1)})`,
	);
