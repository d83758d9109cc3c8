import type { ActionAnswers } from "../../api/actions.ts";
import { ACTION_ROUTES, type ApiFailure, ROUTES } from "../../api/routes.ts";
import { doubtServer, mayHaveToken } from "./proof.ts";
import { takeToken } from "./token.ts";

/** The server refused, or could not be reached (`status` 0). */
export class RequestFailed extends Error {
	readonly status: number;
	readonly failure: ApiFailure;

	constructor(status: number, failure: ApiFailure) {
		super(failure.error);
		this.status = status;
		this.failure = failure;
	}
}

type Query = object;

interface Asking {
	id?: string;
	query?: Query;
	signal?: AbortSignal;
}

/** The JSON answer of a route. */
export async function ask<Answer>(route: keyof typeof ROUTES, asking: Asking = {}): Promise<Answer> {
	return (await answerTo(route, asking)).json() as Promise<Answer>;
}

/** The answer itself, to read as a stream. */
export function answerTo(route: keyof typeof ROUTES, { id = "", query = {}, signal }: Asking): Promise<Response> {
	const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
	const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
	const path = ROUTES[route].replace(":id", encodeURIComponent(id));
	return send(given.length === 0 ? path : `${path}?${search}`, { ...(signal && { signal }) });
}

/** Does something with a run. */
export async function act<Action extends keyof typeof ACTION_ROUTES>(
	action: Action,
	id: string,
	body: object = {},
): Promise<ActionAnswers[Action]> {
	const answer = await send(ACTION_ROUTES[action].replace(":id", encodeURIComponent(id)), {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify(body),
	});
	return answer.json() as Promise<ActionAnswers[Action]>;
}

async function send(path: string, init: RequestInit): Promise<Response> {
	const token = takeToken() ?? "";
	const headers = { ...init.headers, Authorization: `Bearer ${token}` };
	const options: RequestInit = { ...init, headers, cache: "no-store", credentials: "omit", redirect: "error" };
	try {
		if (!(await mayHaveToken(token, init.signal))) {
			throw new RequestFailed(0, { error: "Another program has the port of this page's server." });
		}
		const answer = await fetch(path, options);
		if (answer.ok) return answer;
		throw new RequestFailed(answer.status, await failureIn(answer));
	} catch (error) {
		if (error instanceof RequestFailed || init.signal?.aborted) throw error;
		doubtServer();
		throw new RequestFailed(0, { error: "The server does not answer." });
	}
}

async function failureIn(answer: Response): Promise<ApiFailure> {
	try {
		const said = (await answer.json()) as Partial<ApiFailure> | undefined;
		if (typeof said?.error === "string") return said as ApiFailure;
	} catch {
		// 401 and 421 have an empty body.
	}
	return { error: `The server answered with ${answer.status}.` };
}
