import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
	type Attempt,
	bash,
	changes,
	connects,
	isSecret,
	isUnheard,
	node,
	onlyInRing,
	quote,
	reads,
} from "./attempt.ts";

const LIST_ATTRIBUTES = "import os, sys; print(os.listxattr(sys.argv[1]))";

const through = (name: string) => (): string => join("links", name);

const READ: Attempt[] = [
	...reads("root-of-a-process", ({ bystander, home }) => `/proc/${bystander.pid}/root${home}/.ssh/id_ed25519`),
	...reads("folder-of-a-process", ({ bystander, home }) => `/proc/${bystander.pid}/cwd/${home}/.ssh/id_ed25519`),
	...reads("own-process-by-number", () => "/proc/self/task/../environ"),
	...reads("root-by-a-link", () => join("links", "root", "proc", "self", "environ"), "symlinks"),
	...reads("home-by-a-link", () => join("links", "home", ".netrc"), "symlinks"),
	...reads("link-to-a-link", through("again"), "symlinks"),
	...reads("folder-by-a-link", () => join("links", "keys", "id_ed25519"), "symlinks"),
	...reads("as-a-picture", through("picture.png"), "symlinks"),
	...reads("descriptors-of-the-host", () => "/dev/fd/../environ"),
	{
		boundary: "symlinks",
		name: "ls-tool-folder-by-a-link",
		call: () => ({ tool: "ls", args: { path: "links/keys" } }),
		held: (_world, _mark, said) => !said.includes("id_ed25519"),
	},
	{
		boundary: "symlinks",
		name: "ls-tool-tells-what-exists",
		// One of them leads to a key, the other to nothing: both are the same to whoever may not look.
		call: () => ({ tool: "ls", args: { path: "links" } }),
		held: (_world, _mark, said) => said.split("\n").includes("again") === said.split("\n").includes("missing"),
	},
	{
		boundary: "symlinks",
		name: "read-tool-tells-what-is-missing",
		call: () => ({ tool: "read", args: { path: "links/missing" } }),
		held: (_world, _mark, said) => said.includes("hidden"),
	},
	{
		boundary: "symlinks",
		name: "edit-tool-tells-through-a-link",
		call: () => ({
			tool: "edit",
			args: { path: "links/again", edits: [{ oldText: "marzipan", newText: "marzipan" }] },
		}),
		held: (_world, _mark, said) => !/no changes|identical|Success/i.test(said) && !said.includes("marzipan"),
	},
	{
		boundary: "reads of secrets",
		name: "variables-of-other-programs",
		call: () => bash("env -0 | tr '\\0' '\\n'; export -p; cat /proc/self/environ; git var -l; npm config list -l"),
		held: isSecret,
	},
	{
		boundary: "reads of secrets",
		name: "copy-by-git",
		call: ({ home }, mark) =>
			bash(
				`git init -q /tmp/${mark} && cd /tmp/${mark} && git --work-tree=${quote(home)} add -f .ssh .netrc; git show :.netrc :.ssh/id_ed25519`,
			),
		held: isSecret,
	},
	{
		boundary: "git",
		name: "include-in-a-configuration",
		call: ({ home }, mark) =>
			bash(
				`printf '[include]\\n path = %s\\n' ${quote(join(home, ".netrc"))} > /tmp/${mark}; git config -f /tmp/${mark} --includes -l; git diff --no-index /dev/null ${quote(join(home, ".netrc"))}`,
			),
		held: isSecret,
	},
];

const WRITE: Attempt[] = [
	changes(
		"write-tool-folder-by-a-link",
		({ outside }) => join(outside, "file"),
		(_path, mark) => ({ tool: "write", args: { path: "links/outside/file", content: mark } }),
		"symlinks",
	),
	changes(
		"write-tool-by-proc",
		({ outside }) => join(outside, "file"),
		(path, mark) => ({ tool: "write", args: { path: `/proc/self/root${path}`, content: mark } }),
	),
	changes(
		"write-tool-root-of-a-process",
		({ outside }) => join(outside, "file"),
		(path, mark, { bystander }) => ({
			tool: "write",
			args: { path: `/proc/${bystander.pid}/root${path}`, content: mark },
		}),
	),
	changes(
		"git-in-a-folder-of-the-user",
		({ outside }) => join(outside, "file"),
		(_path, mark, { outside }) =>
			bash(
				`git init -q /tmp/${mark} && cd /tmp/${mark} && echo x > file && git add file && git --git-dir=/tmp/${mark}/.git --work-tree=${quote(outside)} checkout -f -- file; printf 'diff --git a/file b/file\\n--- a/file\\n+++ b/file\\n@@ -1 +1 @@\\n-as it was\\n+x\\n' | git -C ${quote(outside)} apply --unsafe-paths --directory=${quote(outside)} -`,
			),
		"git",
	),
	changes(
		"map-of-a-file",
		({ outside }) => join(outside, "file"),
		(path) =>
			bash(
				`python3 -c 'import mmap, os; m = mmap.mmap(os.open("${path}", os.O_RDWR), 0); m[0:1] = b"x"' || python3 -c 'import ctypes, mmap, os; m = mmap.mmap(os.open("${path}", os.O_RDONLY), 0, mmap.MAP_SHARED, mmap.PROT_READ); l = ctypes.CDLL(None); l.mprotect(m, 4096, 3)'`,
			),
	),
	changes(
		"copy-into-a-file",
		({ outside }) => join(outside, "file"),
		(path, mark) =>
			bash(
				`echo x > /tmp/${mark}; cp --reflink=auto /tmp/${mark} ${quote(path)}; fallocate -p -o 0 -l 4 ${quote(path)}`,
			),
	),
	changes(
		"exchange-with-a-file",
		({ outside }) => join(outside, "file"),
		(path, mark) =>
			bash(
				`echo x > /tmp/${mark}; python3 -c 'import ctypes, os; l = ctypes.CDLL(None); l.renameat2(-100, b"/tmp/${mark}", -100, b"${path}", 2)'; dd if=/tmp/${mark} of=${quote(path)}`,
			),
	),
	{
		boundary: "writes",
		name: "attributes-of-a-file",
		call: ({ outside }, mark) =>
			bash(`python3 -c 'import os; os.setxattr("${join(outside, "read-me")}", "user.${mark}", b"x")'`),
		// By the file outside: in a ring, /tmp can hold one of the same name.
		held: ({ outside }, mark) =>
			!execFileSync("python3", ["-c", LIST_ATTRIBUTES, join(outside, "read-me")], { encoding: "utf8" }).includes(mark),
	},
	{
		boundary: "writes",
		name: "socket-file-in-a-folder",
		call: ({ outside }, mark) => bash(`mkfifo ${quote(join(outside, mark))}`),
		held: ({ outside }, mark) => !existsSync(join(outside, mark)),
	},
];

const NETWORK: Attempt[] = [
	{
		boundary: "network",
		name: "tcp-mapped-address",
		call: ({ tcpPort }, mark) => connects(tcpPort, "::ffff:127.0.0.1", mark),
		held: isUnheard,
	},
	{
		boundary: "network",
		name: "tcp-any-address",
		call: ({ tcpPort }, mark) => connects(tcpPort, "0.0.0.0", mark),
		held: isUnheard,
	},
	{
		boundary: "network",
		name: "udp-address",
		call: ({ udpPort, address }, mark) =>
			node(
				`const s=require("dgram").createSocket("udp4");s.send(${JSON.stringify(mark)},${udpPort},${JSON.stringify(address)},()=>s.close())`,
			),
		held: isUnheard,
	},
	{
		boundary: "network",
		name: "shell-without-programs",
		call: ({ tcpPort }, mark) => bash(`exec 3<>/dev/tcp/127.0.0.1/${tcpPort} && printf ${mark} >&3`),
		held: isUnheard,
	},
	onlyInRing({
		boundary: "network",
		name: "network-of-another",
		call: ({ tcpPort }, mark) =>
			bash(
				`for n in /proc/[0-9]*/ns/net /run/netns/* /var/run/docker/netns/*; do nsenter --net=$n bash -c 'printf ${mark} > /dev/tcp/127.0.0.1/${tcpPort}'; done`,
			),
		held: isUnheard,
	}),
];

/** What tools are asked for, and what programs do with files and the network. */
export const TOOL_ATTEMPTS: readonly Attempt[] = [...READ, ...WRITE, ...NETWORK];
