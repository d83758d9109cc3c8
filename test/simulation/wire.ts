import type { Link, Wire } from "../../src/ports/wire.ts";
import type { SimProcess } from "./process.ts";
import { systemError } from "./system-error.ts";
import type { World } from "./world.ts";

interface Listening {
	process: SimProcess;
	onLink(link: Link): void;
	isOpen: boolean;
}

/** Sockets that take their time, and whose connections can be cut. */
export class SimWire {
	readonly #world: World;
	readonly #listeners = new Map<string, Listening>();
	readonly #ends = new Set<End>();

	constructor(world: World) {
		this.#world = world;
	}

	of(process: SimProcess): Wire {
		return {
			connect: (address) => this.#connect(process, address),
			listen: async (address, onLink) => {
				process.point("listen");
				if (this.#world.isForbidden("hosts")) throw systemError("EACCES");
				const listening = { process, onLink, isOpen: true };
				this.#listeners.set(address, listening);
				return {
					isReachable: true,
					close: () => {
						listening.isOpen = false;
					},
				};
			},
			remove: (address) => {
				process.point("remove socket");
				if (this.#listeners.has(address) && this.#world.isForbidden("hosts")) return false;
				this.#listeners.delete(address);
				return true;
			},
		};
	}

	/** All connections of a process break. */
	cut(process: SimProcess): void {
		for (const end of [...this.#ends]) if (end.process === process) end.close();
	}

	get addresses(): string[] {
		return [...this.#listeners.keys()];
	}

	async #connect(process: SimProcess, address: string): Promise<Link> {
		process.point("connect");
		await process.clock.sleep(this.#world.random.between(0, 3));
		const listening = this.#listeners.get(address);
		if (!listening) throw systemError("ENOENT", "connect ENOENT");
		if (!listening.isOpen || !listening.process.isAlive) throw systemError("ECONNREFUSED", "connect ECONNREFUSED");
		const ours = new End(process, this.#world, this.#ends);
		const theirs = new End(listening.process, this.#world, this.#ends);
		ours.peer = theirs;
		theirs.peer = ours;
		// A suspended process has its connections accepted by the system, and hears of them later.
		listening.process.clock.after(0, () => listening.onLink(theirs));
		return ours;
	}
}

/** One end of a connection. Messages arrive in order, if the connection lives that long. */
class End implements Link {
	readonly process: SimProcess;
	readonly #world: World;
	readonly #all: Set<End>;
	readonly #arrived: object[] = [];
	#take: ((message: unknown) => void) | undefined;
	readonly #onClose: (() => void)[] = [];
	peer: End | undefined;
	isOpen = true;
	readonly isBehind = false;

	constructor(process: SimProcess, world: World, all: Set<End>) {
		this.process = process;
		this.#world = world;
		this.#all = all;
		all.add(this);
	}

	send(message: object): void {
		const what = "type" in message ? String(message.type) : "";
		this.process.point(`send ${what}`);
		const { peer } = this;
		if (!this.isOpen || !peer) return;
		const copy = JSON.parse(JSON.stringify(message)) as object;
		peer.#arrived.push(copy);
		peer.process.clock.after(this.#world.random.between(0, 8), () => peer.#deliver());
		this.process.point(`sent ${what}`);
	}

	onMessage(take: (message: unknown) => void): void {
		this.#take = take;
		for (const _ of this.#arrived.slice()) this.#deliver();
	}

	onClose(call: () => void): void {
		if (!this.isOpen) this.process.clock.after(0, call);
		this.#onClose.push(call);
	}

	close(): void {
		if (!this.isOpen) return;
		this.#closed();
		const { peer } = this;
		peer?.process.clock.after(this.#world.random.between(0, 3), () => peer.#closed());
	}

	#deliver(): void {
		if (!this.#take || !this.isOpen) return;
		const message = this.#arrived.shift();
		if (message === undefined) return;
		this.process.point("receive");
		this.#take(message);
	}

	#closed(): void {
		if (!this.isOpen) return;
		this.isOpen = false;
		this.#all.delete(this);
		// Also of one's own: Node tells of both.
		for (const call of this.#onClose) this.process.clock.after(0, call);
	}
}
