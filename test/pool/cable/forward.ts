// Runs in a namespace of its own: what connects to its address there reaches a socket of the file system, which no cable cuts.
import { connect, createServer } from "node:net";

const [host = "", ...pairs] = process.argv.slice(2);
for (const pair of pairs) {
	const [port = "", path = ""] = pair.split("=");
	const server = createServer((near) => {
		const far = connect(path);
		const over = () => {
			near.destroy();
			far.destroy();
		};
		for (const socket of [near, far]) socket.on("error", over).on("close", over);
		near.pipe(far).pipe(near);
	});
	server.listen(Number(port), host, () => console.log(`listening on ${port}`));
}
