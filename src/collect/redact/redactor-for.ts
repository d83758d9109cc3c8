import { homedir } from "node:os";
import { knownSecrets } from "./known-secrets.ts";
import { createRedactor, type Redactor } from "./redactor.ts";

/** A redactor that knows the secrets of this moment. */
export const redactorFor = (sources: Parameters<typeof knownSecrets>[0]): Redactor =>
	createRedactor({ secrets: knownSecrets(sources), homeDir: homedir() });
