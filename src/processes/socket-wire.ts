import { chmodSync, existsSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { prepareSocketFolder, requireOwnFolder } from "../ledger/places.ts";
import type { Link, Wire } from "../ports/wire.ts";
import { parsedLine } from "../run/json-line.ts";

/** Named pipes of Windows are not files. */
const isFile = process.platform !== "win32";

const NOT_ALLOWED = new Set<unknown>(["EACCES", "EPERM", "EROFS"]);

/** A longer line is not one of ours. */
const LONGEST_WIRE_LINE = 4 * 1024 * 1024;

/** The real wire: unix sockets, or named pipes on Windows, that only this user can reach. One JSON value a line. */
export const socketWire: Wire = {
	async connect(address) {
		if (isFile) requireOwnFolder(dirname(address));
		const { promise, resolve, reject } = Promise.withResolvers<Link>();
		const socket = connect(address);
		socket.once("error", reject);
		socket.once("connect", () => {
			socket.off("error", reject);
			resolve(linkOver(socket));
		});
		return promise;
	},

	async listen(address, onLink, onTrouble) {
		if (isFile) {
			prepareSocketFolder(address);
			rmSync(address, { force: true }); // The address contains our id, so no other process listens there.
		}
		const server = createServer((socket) => onLink(linkOver(socket)));
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		server.once("error", reject).listen(address, resolve);
		await promise;
		server.on("error", onTrouble);
		if (isFile) chmodSync(address, 0o600);
		return {
			get isReachable() {
				return !isFile || existsSync(address);
			},
			close: () => void server.close(),
		};
	},

	remove(address) {
		try {
			if (isFile) rmSync(address, { force: true });
			return true;
		} catch (error) {
			// The socket does no harm until it can be removed: its address contains the id of its host.
			if (error instanceof Error && "code" in error && NOT_ALLOWED.has(error.code)) return false;
			throw error;
		}
	},
};

function linkOver(socket: Socket): Link {
	socket.setEncoding("utf8");
	socket.on("error", () => socket.destroy()); // The other side died. "close" follows and reports that.
	return {
		get isOpen() {
			return !socket.destroyed && socket.writable;
		},
		get isBehind() {
			return socket.writableLength > 0;
		},
		send(message) {
			if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
		},
		onMessage: (take) => receive(socket, take),
		onClose: (call) => void socket.on("close", call),
		close(how) {
			if (how === "politely") socket.end();
			else socket.destroy();
		},
	};
}

/** Splits on LF only: JSON may contain U+2028, at which `readline` would split too. */
function receive(socket: Socket, take: (message: unknown) => void): void {
	let rest = "";
	socket.on("data", (chunk: string) => {
		const lines = (rest + chunk).split("\n");
		rest = lines.pop() ?? "";
		if (rest.length > LONGEST_WIRE_LINE) return void socket.destroy(new Error("The line does not end."));
		for (const line of lines) {
			const message = parsedLine(line);
			if (message === undefined) return void socket.destroy(new Error("The line is not JSON."));
			take(message);
		}
	});
}
