import { type Running, type Surroundings, startPiGeon } from "../cli/pi-geon.ts";
import type { Home } from "../helpers/home.ts";

export interface ServedPage extends Running {
	/** With the token. */
	url: string;
	origin: string;
	token: string;
	port: number;
}

/** `pi-geon web`, once it has printed its address. */
export async function servePageOf(
	home: Home,
	args: readonly string[] = [],
	surroundings: Surroundings = {},
): Promise<ServedPage> {
	const running = startPiGeon(home, ["web", "--no-open", ...args], surroundings);
	await running.prints("\n");
	const [url = ""] = running.printed.split("\n");
	const { origin, port, hash } = new URL(url);
	return {
		get printed() {
			return running.printed;
		},
		prints: running.prints,
		kill: running.kill,
		ended: running.ended,
		url,
		origin,
		token: hash.slice(1),
		port: Number(port),
	};
}
