import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Answer, Call, Verbs } from "./peer.ts";

/** Another process with verbs of its own, called as if they were ours. One call at a time. */
export interface Peer {
	readonly pid: number;
	call<Name extends keyof Verbs>(name: Name, argument: Parameters<Verbs[Name]>[0]): Promise<ResultOf<Name>>;
	/** What it says while a verb is still running. */
	says(word: string): Promise<void>;
	kill(): Promise<void>;
}

type ResultOf<Name extends keyof Verbs> = Awaited<ReturnType<Verbs[Name]>>;

export async function startPeer(): Promise<Peer> {
	const child = fork(new URL("./peer.ts", import.meta.url), { execArgv: [] });
	const { pid } = child;
	if (pid === undefined) throw new Error("The peer could not be started.");
	const peer = new ForkedPeer(child, pid);
	await peer.says("here");
	return peer;
}

class ForkedPeer implements Peer {
	readonly pid: number;
	readonly #child: ChildProcess;
	readonly #over: Promise<unknown>;

	constructor(child: ChildProcess, pid: number) {
		this.#child = child;
		this.pid = pid;
		this.#over = once(child, "exit");
	}

	async call<Name extends keyof Verbs>(name: Name, argument: Parameters<Verbs[Name]>[0]): Promise<ResultOf<Name>> {
		const answer = this.#heard((heard) => heard.kind !== "word");
		this.#child.send({ name, argument } satisfies Call);
		const heard = await answer;
		if (heard.kind === "failed") throw new Error(`In the peer: ${heard.message}`);
		return (heard.kind === "result" ? heard.value : undefined) as ResultOf<Name>;
	}

	async says(word: string): Promise<void> {
		await this.#heard((heard) => heard.kind === "word" && heard.word === word);
	}

	async kill(): Promise<void> {
		this.#child.kill("SIGKILL");
		await this.#over;
	}

	#heard(wanted: (answer: Answer) => boolean): Promise<Answer> {
		const { promise, resolve, reject } = Promise.withResolvers<Answer>();
		const listen = (answer: Answer) => {
			if (!wanted(answer)) return;
			this.#child.off("message", listen);
			resolve(answer);
		};
		this.#child.on("message", listen);
		void this.#over.then(() => reject(new Error("The peer is gone.")));
		return promise;
	}
}
