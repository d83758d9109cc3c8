/** Real pi for tests: a home of its own, then one-shot, RPC or terminal. */

export type { PiEvent } from "../../demo/json-lines.ts";
export { type Home, makeHome } from "./home.ts";
export { assistantMessages, promptPi, summarize } from "./prompt-pi.ts";
export { ANY_PI, piVersions, somePi } from "./repository.ts";
export { startRpc } from "./rpc.ts";
export { runPi } from "./run-pi.ts";
export { startTerminal } from "./terminal.ts";
