import { hostRingTrouble } from "../../sandbox/host-probe.ts";
import { bwrapHere, probeRing } from "../../sandbox/probe.ts";
import { type Check, pass } from "./check.ts";

/** Whether the kernel enforces what subagents may do. Makes a real sandbox, and another one inside a host's. */
export const checkSandbox: Check = {
	name: "sandbox",
	async *run({ sources }) {
		const { mode } = sources.config.config.subagents.sandbox;
		if (mode === "off") {
			yield pass("The kernel enforces nothing: subagents.sandbox.mode is off");
			return;
		}
		const level = mode === "require" ? "fail" : "warn";
		const probe = await probeRing();
		if (!probe.can) {
			const what =
				mode === "require"
					? "Nothing can be delegated, because the kernel cannot enforce what subagents may do"
					: "The kernel does not enforce what subagents may do: only the choice of their tools does";
			yield { level, what, detail: probe.why };
			return;
		}
		const here = bwrapHere();
		if ("why" in here) {
			yield pass(
				`The kernel enforces what subagents may do (${probe.by})`,
				"Their hosts have no sandbox on this system.",
			);
			return;
		}
		const trouble = await hostRingTrouble(here.bwrap);
		if (trouble === undefined) yield pass(`The kernel enforces what subagents and their hosts may do (${probe.by})`);
		else {
			yield {
				level,
				what: `The kernel enforces what subagents may do (${probe.by}), but not what their hosts may`,
				detail: `A sandbox cannot be made inside another one: ${trouble}`,
				remedy:
					"Tools of extensions, grep and find are limited by policy only. Give them only to agents that you trust.",
			};
		}
	},
};
