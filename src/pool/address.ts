import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { PoolSettings } from "../config/config.ts";
import { messageOf } from "../run/message-of.ts";

/** Why a pool cannot be used as configured. Shown to the user unchanged, so it never contains the address. */
export class PoolProblem extends Error {
	override name = "PoolProblem";
}

/** The address of a pool's database. Do not log or store it: it contains a password. */
export function poolAddress(
	{ name, urlEnv, urlFile }: PoolSettings,
	{ agentDir, env }: { agentDir: string; env: NodeJS.ProcessEnv },
): string {
	if (urlEnv !== null) {
		const given = env[urlEnv]?.trim();
		if (given) return checked(given, name, `the variable ${urlEnv}`);
		throw new PoolProblem(`The variable ${urlEnv}, which holds the address of pool ${name}, is not set.`);
	}
	const file = pathOf(urlFile ?? "", agentDir);
	return checked(urlInFile(file, name), name, file);
}

/** As written in the configuration: absolute, below the user's home, or below the agent directory. */
const pathOf = (written: string, agentDir: string): string =>
	written.startsWith("~/") ? join(homedir(), written.slice(2)) : resolve(agentDir, written);

function urlInFile(file: string, name: string): string {
	try {
		const { mode } = statSync(file);
		if (process.platform !== "win32" && (mode & 0o077) !== 0) {
			throw new PoolProblem(
				`${file}, which holds the address of pool ${name}, can be read by others: chmod 600 ${file}`,
			);
		}
		return readFileSync(file, "utf8").trim();
	} catch (error) {
		if (error instanceof PoolProblem) throw error;
		throw new PoolProblem(`The address of pool ${name} cannot be read: ${messageOf(error)}`);
	}
}

function checked(url: string, name: string, where: string): string {
	// Unlike URL, the driver accepts an address without a host if its query names the folder of a socket.
	if (!/^postgres(ql)?:\/\/\S+$/.test(url) || !URL.canParse(url.replace("@/", "@localhost/"))) {
		throw new PoolProblem(
			`The address of pool ${name} (${where}) is not that of a PostgreSQL database (postgres://…). ${ENCODED}`,
		);
	}
	if (isCutInPassword(url)) {
		throw new PoolProblem(`The address of pool ${name} (${where}) cannot be read as it is. ${ENCODED}`);
	}
	return url;
}

const ENCODED = "In its user name and password, write @ as %40, / as %2F, : as %3A, ? as %3F, # as %23 and % as %25.";

/** Whether a character in the password splits the address there: an error would show the rest as the host name. */
function isCutInPassword(url: string): boolean {
	const [, authority = "", rest = ""] = /^\w+:\/\/([^/?#]*)(.*)$/.exec(url) ?? [];
	const signs = authority.split("@").length - 1;
	const [path = ""] = rest.split("?");
	return signs > 1 || path.includes("@") || (signs === 0 && rest.includes("@"));
}

/** The pool of that name, as the user has configured it. */
export function poolNamed(name: string, pools: readonly PoolSettings[]): PoolSettings {
	const found = pools.find((pool) => pool.name === name);
	if (found) return found;
	const known = pools.map((pool) => pool.name);
	const which = known.length === 0 ? "None is configured" : `Configured: ${known.join(", ")}`;
	throw new PoolProblem(`There is no pool "${name}". ${which} (pools in pi-geon.json).`);
}
