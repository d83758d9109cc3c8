import { readFaults } from "./fault-log.ts";

/** Wakes suspended processes when their time has come: they cannot do it themselves. */
export class Waker {
	readonly #looking: NodeJS.Timeout;
	readonly #waking = new Map<NodeJS.Timeout, () => void>();
	#seen = 0;

	constructor(folder: string) {
		this.#looking = setInterval(() => this.#look(folder), 25);
	}

	#look(folder: string): void {
		const faults = readFaults(folder);
		for (const { kind, forMs, pid } of faults.slice(this.#seen)) {
			if (kind !== "suspend") continue;
			const wake = () => resume(pid);
			const timer = setTimeout(() => {
				this.#waking.delete(timer);
				wake();
			}, forMs);
			this.#waking.set(timer, wake);
		}
		this.#seen = faults.length;
	}

	close(): void {
		clearInterval(this.#looking);
		for (const [timer, wake] of this.#waking) {
			clearTimeout(timer);
			wake();
		}
	}
}

function resume(pid: number): void {
	try {
		process.kill(pid, "SIGCONT");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // Killed meanwhile.
	}
}
