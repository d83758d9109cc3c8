import { expect, test } from "vitest";
import { ringEnvironment } from "../../src/sandbox/environment.ts";

const env = {
	PATH: "/bin",
	HOME: "/home/u",
	LANG: "C",
	LC_SECRET: "x",
	OPENAI_API_KEY: "x",
	MY_FLAG: "1",
	SSH_AUTH_SOCK: "/tmp/agent",
	PI_CODING_AGENT_DIR: "/home/u/.pi/agent",
	PI_SESSION_ID: "s",
	TMPDIR: "/scratch",
	NODE_OPTIONS: "--require /x",
	BASH_ENV: "/x",
	HTTPS_PROXY: "http://proxy:3128",
	http_proxy: "http://user:word@proxy:3128",
};
const plain = { names: [], network: "off" as const, sockets: false, tmp: "/tmp" };
const kept = (options: Parameters<typeof ringEnvironment>[1]) => Object.keys(ringEnvironment(env, options)).sort();

test("programs get the usual variables, and those that the user names", () => {
	expect(kept(plain).filter((name) => !/cache/i.test(name))).toEqual([
		...["HOME", "LANG", "PATH", "PI_SESSION_ID", "TMPDIR"],
	]);
	expect(ringEnvironment(env, plain).TMPDIR).toBe("/tmp");
	expect(kept({ ...plain, names: ["MY_FLAG"] })).toContain("MY_FLAG");
});

test("caches are in the ring's own folder, unless the user says otherwise", () => {
	const mine = { ...env, XDG_CACHE_HOME: "/home/u/cache" };
	expect(ringEnvironment(mine, plain)).toMatchObject({
		XDG_CACHE_HOME: "/tmp/.cache",
		npm_config_cache: "/tmp/.cache/npm",
	});
	expect(ringEnvironment(mine, { ...plain, names: ["XDG_CACHE_HOME"] }).XDG_CACHE_HOME).toBe("/home/u/cache");
});

test("a proxy without a password goes along where there is a network, and sockets where they are allowed", () => {
	expect(kept({ ...plain, network: "on" })).toContain("HTTPS_PROXY");
	expect(kept({ ...plain, network: "on" })).not.toContain("http_proxy");
	expect(kept({ ...plain, sockets: true })).toContain("SSH_AUTH_SOCK");
});
