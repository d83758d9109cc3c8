import { readFileSync, rmSync } from "node:fs";
import { writeNew } from "../../files/write-whole.ts";
import { isDead } from "../../processes/host-process.ts";
import { processStart } from "../../processes/process-start.ts";
import { isRecord } from "../../run/is-record.ts";
import { parsedLine } from "../../run/json-line.ts";
import { ROUTES } from "../api/routes.ts";
import type { RunningPage } from "./serve.ts";

/** Tells other processes where the page is served. It contains the token, so only the user can read it. */
export interface PageAddress extends Pick<RunningPage, "port" | "token" | "url"> {
	pid: number;
	/** The start time of that process: its pid alone may belong to another process now. */
	pidStarted?: string;
}

/** How long a server of this machine may take to answer. */
const HELLO_WITHIN_MS = 3000;

/** The page that is being served, if its server answers; otherwise the stale content of the file. */
export async function findPage(file: string): Promise<{ found: PageAddress } | StalePage> {
	const text = textOfAddress(file);
	const address = addressIn(text);
	if (address && !isDead(address) && (await doesAnswer(address))) return { found: address };
	return { stale: text, killed: address && isDead(address) ? address : undefined };
}

export interface StalePage {
	/** The content of the file. */
	stale: string | undefined;
	/** The address of a server that was killed. Its pages are waiting for the server. */
	killed: PageAddress | undefined;
}

async function doesAnswer({ port, token }: PageAddress): Promise<boolean> {
	try {
		const answer = await fetch(`http://127.0.0.1:${port}${ROUTES.hello}`, {
			headers: { Authorization: `Bearer ${token}` },
			signal: AbortSignal.timeout(HELLO_WITHIN_MS),
			redirect: "error",
		});
		await answer.body?.cancel();
		return answer.ok;
	} catch (error) {
		// No server listens there, or one that does not speak HTTP.
		if (error instanceof Error) return false;
		throw error;
	}
}

/** Records that this process serves the page, instead of a dead one. False if another process did so first. */
export function announcePage(file: string, { port, token, url }: RunningPage, stale: string | undefined): boolean {
	if (stale !== undefined && textOfAddress(file) === stale) rmSync(file, { force: true });
	const pidStarted = processStart(process.pid);
	const address = { port, token, url, pid: process.pid, ...(pidStarted !== undefined && { pidStarted }) };
	try {
		writeNew(file, `${JSON.stringify(address satisfies PageAddress)}\n`);
		return true;
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
		throw error;
	}
}

/** Removes the record, unless another process has replaced it. */
export function forgetPage(file: string, { token }: Pick<RunningPage, "token">): void {
	if (addressIn(textOfAddress(file))?.token === token) rmSync(file, { force: true });
}

function addressIn(text: string | undefined): PageAddress | undefined {
	const found = parsedLine(text ?? "");
	if (!isRecord(found)) return undefined;
	const { port, token, url, pid, pidStarted } = found;
	if (typeof port !== "number" || typeof token !== "string" || typeof url !== "string" || typeof pid !== "number") {
		return undefined;
	}
	return { port, token, url, pid, ...(typeof pidStarted === "string" && { pidStarted }) };
}

function textOfAddress(file: string): string | undefined {
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined;
		throw error;
	}
}
