/**
 * Runs a command in a network with only loopback, and forwards connections to a port there: `node forwarder.ts <port>
 * <socket> <command…>`. The socket leads to the proxy outside. The command cannot use it, since its ring has no unix
 * sockets.
 */
import { spawn } from "node:child_process";
import { connect, createServer, type Socket } from "node:net";
import { constants } from "node:os";

const [port, socket = "", program = "", ...args] = process.argv.slice(2);

const server = createServer((inside) => {
	const outside = connect(socket);
	join(inside, outside);
	join(outside, inside);
});

function join(from: Socket, to: Socket): void {
	from.pipe(to);
	// If one end breaks, the other is closed too.
	from.on("error", () => to.destroy());
	from.on("close", () => to.destroy());
}

server.listen(Number(port), "127.0.0.1", () => {
	const command = spawn(program, args, { stdio: "inherit" });
	command.once("error", (error) => {
		console.error(error.message);
		process.exit(127);
	});
	command.once("exit", (code, killedBy) => process.exit(code ?? 128 + (killedBy ? constants.signals[killedBy] : 0)));
});
