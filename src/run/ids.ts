import { randomBytes, randomUUID } from "node:crypto";

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** One delegated task: 8 lowercase hex characters, unique in the ledger. */
export type RunId = Branded<"RunId">;
/** The sticky child session a run belongs to: a lowercase UUID. */
export type SessionId = Branded<"SessionId">;
/** One host process: 8 lowercase hex characters. */
export type HostId = Branded<"HostId">;

const EIGHT_HEX = /^[0-9a-f]{8}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Names of agents and principals become parts of file names and session keys. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const newRunId = (): RunId => randomBytes(4).toString("hex") as RunId;
export const newHostId = (): HostId => randomBytes(4).toString("hex") as HostId;
export const newSessionId = (): SessionId => randomUUID() as SessionId;

export const isRunId = (text: string): text is RunId => EIGHT_HEX.test(text);
export const isHostId = (text: string): text is HostId => EIGHT_HEX.test(text);
export const isSessionId = (text: string): text is SessionId => UUID.test(text);

/** The name under which other tools and announces speak of a child session. */
export const sessionKey = (principal: string, sessionId: SessionId): string =>
	`agent:${principal}:subagent:${sessionId}`;
