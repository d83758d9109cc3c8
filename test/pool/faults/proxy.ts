import { connect, createServer, type Socket } from "node:net";

/** What a machine's packets do on their way to the database. */
type Weather = { kind: "fine" } | { kind: "hang" } | { kind: "slow"; ms: number };

/** The network between one machine and the database: it can be cut, can fall silent, and can be slow. */
export class Network {
	readonly #server = createServer((socket) => this.#connected(socket));
	readonly #pairs = new Set<{ near: Socket; far: Socket }>();
	readonly #target: number;
	#weather: Weather = { kind: "fine" };
	port = 0;

	constructor(target: number) {
		this.#target = target;
	}

	async open(): Promise<this> {
		await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
		const address = this.#server.address();
		this.port = typeof address === "object" && address ? address.port : 0;
		return this;
	}

	/** Every connection breaks, and both ends hear of it. */
	cut(): void {
		for (const { near, far } of this.#pairs) {
			near.resetAndDestroy();
			far.resetAndDestroy();
		}
	}

	/** Nothing comes through any more, and neither end hears why. Connections of that time are lost. */
	hang(): void {
		this.#weather = { kind: "hang" };
		for (const { near, far } of this.#pairs) {
			near.pause();
			far.pause();
		}
	}

	slow(ms: number): void {
		this.#weather = { kind: "slow", ms };
	}

	/** New connections work. Those that fell silent stay so, as after a change of the address: no end is told. */
	clear(): void {
		this.#weather = { kind: "fine" };
	}

	async close(): Promise<void> {
		this.cut();
		await new Promise<void>((resolve) => this.#server.close(() => resolve()));
	}

	#connected(near: Socket): void {
		const far = connect(this.#target, "127.0.0.1");
		const pair = { near, far };
		this.#pairs.add(pair);
		const over = () => {
			this.#pairs.delete(pair);
			near.destroy();
			far.destroy();
		};
		for (const socket of [near, far]) socket.on("error", over).on("close", over);
		near.on("data", (bytes) => this.#carry(bytes, far));
		far.on("data", (bytes) => this.#carry(bytes, near));
		if (this.#weather.kind === "hang") {
			near.pause();
			far.pause();
		}
	}

	#carry(bytes: Buffer, to: Socket): void {
		const send = () => void (to.destroyed || to.write(bytes));
		if (this.#weather.kind === "slow") setTimeout(send, this.#weather.ms);
		else send();
	}
}
