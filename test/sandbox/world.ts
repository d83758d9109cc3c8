import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { lchownSync, linkSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { dirname, join } from "node:path";

/** A user that attempts are made as. */
export interface TestUser {
	uid: number;
	gid: number;
}

/** The machine around a ring, with everything that an attempt may reach for. */
export interface World {
	id: string;
	scratch: string;
	home: string;
	agentDir: string;
	project: string;
	/** A folder of the user's that no run has to do with. */
	outside: string;
	/** Also of the user's; `subagents.sandbox.hide` names it. */
	private: string;
	sessionFile: string;
	/** A process of the user's. Its environment holds a secret. */
	bystander: ChildProcess & { pid: number };
	tcpPort: number;
	udpPort: number;
	/** An address of this machine other than loopback. */
	address: string;
	sockets: { inOutside: string; inTmp: string; abstract: string; datagram: string };
	/** What listeners outside were told. */
	heard: Set<string>;
	close(): Promise<void>;
}

export const SECRET = "marzipan-0451-secret";

type Places = Pick<World, "id" | "scratch" | "home" | "agentDir" | "project">;

/** Puts secrets, sockets and a process around a home. All of it belongs to the user. */
export async function makeWorld(places: Places, user: TestUser | undefined): Promise<World> {
	const { id, scratch, home, agentDir, project } = places;
	const outside = join(scratch, "outside");
	const hidden = join(scratch, "private");
	const sessionFile = join(home, ".pi", "agent", "subagent-sessions", "0123", "scout_other.jsonl");
	const files: Record<string, string> = {
		[join(home, ".ssh", "id_ed25519")]: SECRET,
		[join(home, ".aws", "credentials")]: SECRET,
		[join(home, ".config", "gh", "hosts.yml")]: SECRET,
		[join(home, ".netrc")]: SECRET,
		[join(home, ".bash_history")]: SECRET,
		[join(home, ".git-credentials")]: SECRET,
		[join(home, ".bashrc")]: "as it was\n",
		[join(agentDir, "auth.json")]: JSON.stringify({ other: { type: "api_key", key: SECRET } }),
		[join(agentDir, "pi-geon", "scratch", "another-session", "tmp", "notes")]: SECRET,
		[join(agentDir, "pi-geon", "page.json")]: JSON.stringify({ port: 1, token: SECRET }),
		[join(agentDir, "pi-geon", "a-ledger")]: "as it was\n",
		[join(agentDir, "extensions", "ours", "package.json")]: "{}",
		[sessionFile]: `${SECRET}\n`,
		[join(outside, "file")]: "as it was\n",
		[join(outside, "linked")]: "as it was\n",
		[join(outside, "read-me")]: "anybody may read this\n",
		[join(hidden, "plans")]: SECRET,
		[join(project, "file.txt")]: "as it was\n",
		[join(project, "edit.txt")]: "as it was\n",
		[join(project, "node_modules", "package.js")]: "as it was\n",
		[join(project, ".gitignore")]: "node_modules\n",
	};
	for (const [file, text] of Object.entries(files)) {
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	}
	symlinkSync(join(outside, "file"), join(project, "link-out"));
	symlinkSync(join(home, ".ssh", "id_ed25519"), join(project, "link-key"));
	symlinkSync("/proc/self/environ", join(project, "link-environment"));
	const links = join(project, "links");
	mkdirSync(links);
	symlinkSync("../link-key", join(links, "again"));
	symlinkSync(join(home, ".ssh", "not-there"), join(links, "missing"));
	symlinkSync(join(home, ".ssh", "id_ed25519"), join(links, "picture.png"));
	for (const [name, target] of Object.entries({ home, outside, root: "/proc/self/root", keys: join(home, ".ssh") })) {
		symlinkSync(target, join(links, name));
	}
	linkSync(join(outside, "linked"), join(scratch, "hard-link"));
	const git = (...args: string[]) =>
		execFileSync("git", ["-C", project, ...args], { env: { ...process.env, HOME: home } });
	git("init", "--quiet");
	git("add", "-A");
	git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "first");
	const heard = new Set<string>();
	const sockets = {
		inOutside: join(outside, "listener.sock"),
		inTmp: `/tmp/pg-${id}.sock`,
		abstract: `\0pg-${id}`,
		datagram: join(outside, "datagram.sock"),
	};
	const tcp = await listening(heard, 0);
	const listeners = [
		tcp,
		await listening(heard, sockets.inOutside),
		await listening(heard, sockets.inTmp),
		await listening(heard, sockets.abstract),
	];
	const udp = createSocket("udp4").on("message", (said) => heard.add(said.toString()));
	udp.bind(0);
	await once(udp, "listening");
	const datagrams = await receiver(heard, sockets.datagram);
	if (user) giveTo(user, scratch);
	const bystander = spawn("sleep", ["600"], {
		env: { PATH: process.env.PATH ?? "", BYSTANDER_KEY: SECRET },
		stdio: ["ignore", "pipe", "ignore"],
		...user,
	}) as World["bystander"];
	await once(bystander, "spawn");
	bystander.stdout?.on("data", (said: Buffer) => heard.add(said.toString().trim()));
	const address = Object.values(networkInterfaces())
		.flatMap((each) => each ?? [])
		.find(({ family, internal }) => family === "IPv4" && !internal)?.address;
	return {
		...places,
		outside,
		private: hidden,
		sessionFile,
		bystander,
		tcpPort: (tcp.address() as { port: number }).port,
		udpPort: udp.address().port,
		address: address ?? "127.0.0.1",
		sockets,
		heard,
		close: async () => {
			for (const process of [bystander, datagrams]) process.kill("SIGKILL");
			udp.close();
			await Promise.all(listeners.map((listener) => new Promise((done) => listener.close(done))));
		},
	};
}

async function listening(heard: Set<string>, where: number | string): Promise<Server> {
	const server = createServer((connection) => {
		connection.on("error", () => {});
		connection.on("data", (said) => heard.add(said.toString()));
	});
	server.listen(
		typeof where === "number" ? { port: where, host: "::" } : { path: where, writableAll: !where.startsWith("\0") },
	);
	await once(server, "listening");
	return server;
}

/** Node has no datagrams of unix sockets. */
async function receiver(heard: Set<string>, path: string): Promise<ChildProcess> {
	const code = [
		"import os, socket, sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)",
		"s.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o777); print('ready', flush=True)",
		"while True: print(s.recv(1000).decode(), flush=True)",
	].join("\n");
	const listener = spawn("python3", ["-c", code, path], { stdio: ["ignore", "pipe", "inherit"] });
	listener.stdout.on("data", (said: Buffer) => heard.add(said.toString().trim()));
	await once(listener.stdout, "data");
	return listener;
}

/** Links are not followed: they lead to what all tests share. */
export function giveTo(user: TestUser, path: string): void {
	lchownSync(path, user.uid, user.gid);
	if (!lstatSync(path).isDirectory()) return;
	for (const name of readdirSync(path)) giveTo(user, join(path, name));
}
