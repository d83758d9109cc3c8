import { setTimeout as sleep } from "node:timers/promises";

/** A piece of work that a server reports. It first creates a token, and some tokens are never used. */
const CREATED_MS = 1000;
const LOOK_MS = 10;

interface AnnouncedWork {
	/** Undefined while it is only announced. */
	title?: string;
	message?: string;
	percentage?: number;
	announcedAt: number;
}

interface ProgressValue {
	kind: "begin" | "report" | "end";
	title?: string;
	message?: string;
	percentage?: number;
}

/** The work that a server reports: `$/progress`, and the status of rust-analyzer. */
export class ServerProgress {
	readonly #works = new Map<string | number, AnnouncedWork>();
	/** Set by a server that reports whether it has read everything. Its single tasks begin and end before that. */
	#quiescent: boolean | undefined;
	#hasFinished = false;
	/** The problem that the server reports about the project. */
	health: string | undefined;

	/** Whether it ever reported that it was working and then that it was done. */
	get isKnown(): boolean {
		return this.#hasFinished;
	}

	/** Its current work, in its own words; undefined if none. */
	get busyWith(): string | undefined {
		if (this.#quiescent === true) return undefined;
		const oldest = performance.now() - CREATED_MS;
		const works = [...this.#works.values()].filter(
			({ title, announcedAt }) => title !== undefined || announcedAt > oldest,
		);
		const work = works.findLast(({ title }) => title !== undefined) ?? works[0];
		if (work) return described(work);
		return this.#quiescent === false ? "reading the project" : undefined;
	}

	announced(token: string | number): void {
		this.#works.set(token, { announcedAt: performance.now() });
	}

	take(method: string, params: unknown): void {
		if (method === "$/progress") this.#progress(params as { token: string | number; value: ProgressValue });
		if (method === "experimental/serverStatus") {
			const { quiescent, health, message } = params as {
				quiescent?: boolean;
				health?: string;
				message?: string | null;
			};
			this.#quiescent = quiescent;
			if (quiescent) this.#hasFinished = true;
			this.health = health === "ok" || !message ? undefined : message.trim().split(/\n\s*\n/)[0];
		}
	}

	/** Whether it finished in time. Until then, `onWork` receives its current work. */
	async finished({ ms, signal, onWork }: WorkWait): Promise<boolean> {
		const deadline = performance.now() + ms;
		let reported: string | undefined;
		for (;;) {
			const work = this.busyWith;
			if (work === undefined) return true;
			if (performance.now() > deadline) return false;
			if (work !== reported) onWork?.(work);
			reported = work;
			await sleep(LOOK_MS, undefined, { ...(signal && { signal }) });
		}
	}

	#progress({ token, value }: { token: string | number; value: ProgressValue }): void {
		if (value.kind === "end") {
			this.#works.delete(token);
			this.#hasFinished = true;
			return;
		}
		const { title = this.#works.get(token)?.title ?? "working", message, percentage } = value;
		this.#works.set(token, {
			title,
			...(message !== undefined && { message }),
			...(percentage !== undefined && { percentage }),
			announcedAt: performance.now(),
		});
	}
}

interface WorkWait {
	ms: number;
	signal?: AbortSignal | undefined;
	onWork?: ((work: string) => void) | undefined;
}

function described({ title, message, percentage }: AnnouncedWork): string {
	const percent = percentage === undefined || percentage === 0 ? "" : `${Math.round(percentage)} %`;
	return [title ?? "reading the project", message, percent].filter((part) => part).join(" ");
}
