import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Home } from "../helpers/home.ts";
import { stagedPackage } from "../helpers/repository.ts";

export interface Ran {
	code: number | null;
	stdout: string;
	stderr: string;
}

export interface Running {
	/** All that it printed so far. */
	readonly printed: string;
	/** Resolves when it has printed this. */
	prints(text: string): Promise<void>;
	kill(signal: NodeJS.Signals): void;
	ended: Promise<Ran>;
}

export interface Surroundings {
	env?: Record<string, string>;
	cwd?: string;
}

export const cliFile = (): string => join(stagedPackage(), "dist", "cli.js");

/** The command as it is installed, in the environment of a home. */
export function startPiGeon(home: Home, args: string[], { env = {}, cwd = home.project }: Surroundings = {}): Running {
	const child = spawn(process.execPath, [cliFile(), ...args], { cwd, env: { ...home.env, ...env } });
	child.stdin.end();
	const output = { stdout: "", stderr: "" };
	const waiting = new Set<() => void>();
	let hasClosed = false;
	child.stdout.on("data", (part: Buffer) => {
		output.stdout += part.toString();
		for (const look of waiting) look();
	});
	child.stderr.on("data", (part: Buffer) => {
		output.stderr += part.toString();
	});
	const close = async () => void child.kill("SIGKILL");
	home.closers.add(close);
	const ended = once(child, "close").then(([code]): Ran => {
		home.closers.delete(close);
		hasClosed = true;
		for (const look of waiting) look();
		return { code: code as number | null, ...output };
	});
	return {
		get printed() {
			return output.stdout;
		},
		prints: (text) =>
			new Promise((resolve, reject) => {
				const look = () => {
					if (output.stdout.includes(text)) resolve();
					else if (hasClosed) reject(new Error(`It ended without "${text}":\n${JSON.stringify(output)}`));
				};
				waiting.add(look);
				look();
			}),
		kill: (signal) => void child.kill(signal),
		ended,
	};
}

export const piGeon = (home: Home, args: string[], surroundings: Surroundings = {}): Promise<Ran> =>
	startPiGeon(home, args, surroundings).ended;

export async function jsonOf<Value>(home: Home, args: string[], surroundings: Surroundings = {}): Promise<Value> {
	const { stdout } = await piGeon(home, [...args, "--json"], surroundings);
	return JSON.parse(stdout) as Value;
}
