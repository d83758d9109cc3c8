import { writeSync } from "node:fs";
import { getAgentDir } from "@earendil-works/pi-coding-agent";
import { ANSWERS_FD, decodeFiles, type ProvidersOf } from "../processes/providers-protocol.ts";
import { messageOf } from "../run/message-of.ts";
import { registrationsOf } from "./provider-extensions.ts";

/**
 * Loads extension files one after the other and reports which providers each registers, with a line of JSON for each. This
 * needs its own process, because an extension may never finish loading, or may start something.
 */
export async function reportProviders(encodedFiles: string): Promise<void> {
	const say = (answer: ProvidersOf) => writeSync(ANSWERS_FD, `${JSON.stringify(answer)}\n`);
	const agentDir = getAgentDir();
	for (const file of decodeFiles(encodedFiles)) {
		say({ file, loading: true });
		try {
			const registrations = await registrationsOf(file, { cwd: agentDir, agentDir });
			say({ file, providers: [...new Set(registrations.map(({ provider }) => provider))] });
		} catch (error) {
			say({ file, error: messageOf(error) });
		}
	}
	// After the last line, nothing that an extension has started may keep the process alive.
	setImmediate(() => process.exit());
}
