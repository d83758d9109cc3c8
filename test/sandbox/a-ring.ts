import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach } from "vitest";
import { probeRing } from "../../src/sandbox/probe.ts";
import { openRing, type Ring, type RingSetup } from "../../src/sandbox/ring.ts";
import { shellInRing } from "../../src/sandbox/shell.ts";
import { newScratch } from "./trials.ts";

export interface RingAndPlaces {
	ring: Ring;
	/** May be written, unless the setup says otherwise. */
	tree: string;
	/** May be read only. */
	outside: string;
}

/** What it returns opens a ring inside a test, with folders that are gone after it. */
export function useRing(): (setup?: Partial<RingSetup>) => Promise<RingAndPlaces> {
	const folders: string[] = [];
	afterEach(() => {
		for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
	});
	return async (setup = {}) => {
		const folder = newScratch();
		folders.push(folder);
		const [tree, outside, scratch] = [join(folder, "tree"), join(folder, "outside"), join(folder, "scratch")];
		for (const each of [tree, outside, scratch]) mkdirSync(each);
		const probe = await probeRing();
		if (!probe.can) throw new Error(probe.why);
		const ring = openRing({
			abilities: probe.abilities,
			cwd: tree,
			writable: [tree],
			readable: [],
			hidden: [],
			scratch,
			network: "off",
			sockets: false,
			env: [],
			...setup,
		});
		return { ring, tree, outside };
	};
}

/** What a command printed in a ring, and its exit code. */
export async function said(ring: Ring, command: string, env: NodeJS.ProcessEnv = process.env) {
	let output = "";
	const { exitCode } = await shellInRing(ring, {
		shell: ["/bin/bash", "-c"],
		command,
		cwd: ring.setup.cwd,
		env,
		onData: (data) => {
			output += data.toString();
		},
	});
	return { output, exitCode };
}
