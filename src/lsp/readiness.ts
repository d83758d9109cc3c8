import { setTimeout as sleep } from "node:timers/promises";
import type { LanguageServer } from "./server/language-server.ts";
import type { LspSession } from "./session.ts";

/**
 * Opens files and waits until the server has read their projects, within limits. A server that is asked too early answers
 * from what it has read so far, without saying so.
 */
export async function readProject(
	session: LspSession,
	server: LanguageServer,
	paths: readonly string[],
): Promise<void> {
	const { signal, notes, onProgress } = session;
	const added = paths.filter((path) => !server.documents.isOpen(path));
	const uris = added.map((path) => server.documents.open(path).uri);
	// A server must have read the file to answer this. Servers that report their work announce it before they answer.
	await Promise.all(
		uris.map((uri) => server.request("textDocument/documentSymbol", { textDocument: { uri } }, signal)),
	);
	const ms = server.limits.readMs;
	const where = session.workspace.show(server.launch.root);
	const onWork = (work: string) => onProgress?.(`${server.name} in ${where}: ${work}`);
	if (!(await server.progress.finished({ ms, signal, onWork }))) {
		notes.add(
			`${server.name} is still reading ${where} (${server.progress.busyWith}): this answer may be incomplete. Ask again later.`,
		);
	}
	if (server.progress.health !== undefined) notes.add(`${server.name} reports: ${server.progress.health}`);
}

/** Asks about one place. If a fresh server has an empty answer, asks once more. */
export async function askAgainIfEmpty<T>(
	{ signal }: LspSession,
	server: LanguageServer,
	{ ask, isEmpty }: { ask: () => Promise<T>; isEmpty: (answer: T) => boolean },
): Promise<T> {
	const answer = await ask();
	if (!server.isFresh || !isEmpty(answer)) return answer;
	await sleep(server.limits.againMs, undefined, { ...(signal && { signal }) });
	return ask();
}

/**
 * Asks again if the answer may improve: a server may begin to read the project only after its first answer, so a fresh one
 * gets some time for that.
 */
export async function askUntilRead<T>(
	{ signal }: LspSession,
	server: LanguageServer,
	{ ask, mayImprove }: { ask: () => Promise<T>; mayImprove: (answer: T) => boolean },
): Promise<T> {
	const { againMs, asks, readMs } = server.limits;
	let answer = await ask();
	if (!server.isFresh || !mayImprove(answer)) return answer;
	for (let asked = 1; asked < asks && mayImprove(answer); asked++) {
		await sleep(againMs, undefined, { ...(signal && { signal }) });
		await server.progress.finished({ ms: readMs, signal });
		answer = await ask();
	}
	server.isFresh = false;
	return answer;
}

/**
 * Asks a question about the whole project. A server that never reports its work may not have read the project yet, so this
 * asks a fresh one until it gives the same answer twice. It asks a server that reports when it is done again only if the
 * answer is nearly empty.
 */
export async function askSteadily<T>(
	session: LspSession,
	server: LanguageServer,
	{ ask, isThin }: { ask: () => Promise<T>; isThin: (answer: T) => boolean },
): Promise<T> {
	// Check before asking, because the server may also announce answering as work.
	const saysWhenDone = server.progress.isKnown;
	let answer = await ask();
	if (!server.isFresh) return answer;
	if (saysWhenDone && !isThin(answer)) {
		server.isFresh = false;
		return answer;
	}
	const { againMs, asks } = server.limits;
	for (let asked = 1; asked < asks; asked++) {
		await sleep(againMs, undefined, { ...(session.signal && { signal: session.signal }) });
		const before = JSON.stringify(answer);
		answer = await ask();
		if (JSON.stringify(answer) === before) {
			server.isFresh = false;
			return answer;
		}
	}
	const where = session.workspace.show(server.launch.root);
	session.notes.add(`${server.name} in ${where} answers differently each time: this answer may be incomplete.`);
	return answer;
}
