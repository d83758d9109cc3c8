import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { widthFor } from "./show.ts";
import type { ToolkitReports } from "./toolkit.ts";

/** Loaded when one of them is asked for: a session that never does so pays nothing for them. `over`: the session is. */
export const toolkitReports = (pi: ExtensionAPI, over: AbortSignal): ToolkitReports => ({
	async doctor(ctx, args) {
		const { doctor } = await import("./doctor-and-logs.ts");
		return doctor(pi, ctx, { args, width: widthFor(ctx), over });
	},
	async logs(ctx, args) {
		const { logs } = await import("./doctor-and-logs.ts");
		return logs({ args, width: widthFor(ctx) });
	},
});
