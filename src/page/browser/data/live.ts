import { effect, signal } from "@preact/signals";
import type { LiveEvents } from "../../api/live.ts";
import type { Hello, LedgerState } from "../../api/routes.ts";
import type { Overview } from "../../api/runs.ts";
import { doubtServer } from "./proof.ts";
import { answerTo, ask, RequestFailed } from "./request.ts";
import { readEvents } from "./sse.ts";

/**
 * connecting: for the first time, or again. live: events arrive. lost: the server does not answer; the page retries. denied:
 * the token is missing or wrong, so only another address helps. paused: the reader paused updates.
 */
export type Connection = "connecting" | "live" | "lost" | "denied" | "paused";

export const connection = signal<Connection>("connecting");
export const paused = signal(false);
export const ledger = signal<LedgerState>({ state: "ok" });
export const overview = signal<Overview | undefined>(undefined);
export const hello = signal<Hello | undefined>(undefined);
/** How far the server's clock is ahead of ours. */
const skew = signal(0);
/** The server's time, updated once a second while events arrive. Otherwise it is frozen, so that bars do not grow on a guess. */
export const now = signal(Date.now());

const RETRY_MS = [250, 500, 1000, 2000, 3000];

type Handlers = { [Name in keyof LiveEvents]?: (data: LiveEvents[Name]) => void };

export interface Watching {
	run?: string;
	after?: number;
}

interface LiveSetup {
	/** What to watch. Called when a stream is opened. */
	watching(): Watching;
	/** Called when a stream is open, to fetch missed changes. */
	onOpen(): void;
	handlers: Handlers;
}

let restart: () => void = () => {};

/** Opens the stream again, to watch another run. */
export const watchAgain = (): void => restart();

/** Keeps one stream open while the page is visible and not paused. */
export function goLive({ watching, onOpen, handlers }: LiveSetup): void {
	let current = new AbortController();
	let failures = 0;
	let timer: ReturnType<typeof setTimeout> | undefined;
	const all: Handlers = {
		ledger: (state) => {
			const was = ledger.value.state;
			ledger.value = state;
			// The server does not send existing content as news, so fetch it.
			if (was !== "ok" && state.state === "ok") onOpen();
		},
		overview: (numbers) => {
			overview.value = numbers;
			skew.value = numbers.at - Date.now();
			now.value = numbers.at;
		},
		...handlers,
	};

	const open = async (): Promise<void> => {
		current.abort();
		clearTimeout(timer);
		if (paused.value) {
			connection.value = "paused";
			return;
		}
		if (document.visibilityState === "hidden") return;
		const own = new AbortController();
		current = own;
		if (connection.value !== "lost" && connection.value !== "live") connection.value = "connecting";
		try {
			const answer = await answerTo("events", { query: watching(), signal: own.signal });
			// It may be another server now.
			if (connection.value !== "live" || hello.value === undefined) {
				hello.value = await ask<Hello>("hello", { signal: own.signal });
			}
			failures = 0;
			connection.value = "live";
			onOpen();
			await readEvents(answer, (name, data) => {
				if (current === own) all[name as keyof LiveEvents]?.(data as never);
			});
		} catch (error) {
			if (own.signal.aborted) return;
			if (error instanceof RequestFailed && error.status === 401) {
				connection.value = "denied";
				return;
			}
			if (error instanceof RequestFailed && error.failure.ledger) ledger.value = error.failure.ledger;
		}
		if (own.signal.aborted) return;
		connection.value = "lost";
		doubtServer();
		timer = setTimeout(open, RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]);
	};

	restart = () => void open();
	document.addEventListener("visibilitychange", () => {
		if (document.visibilityState === "hidden") current.abort();
		else restart();
	});
	setInterval(() => {
		if (connection.value === "live" && document.visibilityState === "visible") now.value = Date.now() + skew.value;
	}, 1000);
	let isFirst = true;
	effect(() => {
		void paused.value;
		// The first run that is opened, or no run, opens the first stream.
		if (!isFirst) restart();
		isFirst = false;
	});
}
