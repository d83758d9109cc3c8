import { randomUUID } from "node:crypto";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { SubagentsMethod, SubagentsParams, SubagentsRequest, SubagentsResponse, SubagentsResults } from "pi-geon";

/** How long pi-geon may take to answer anything but a `wait`. If it is not installed, nothing answers. */
const ANSWER_WITHIN_MS = 10_000;

/** `/survey src docs`: an explorer for each folder, all at once, and what each of them found. */
export default function survey(pi: ExtensionAPI): void {
	const ask = requester(pi);
	pi.registerCommand("survey", {
		description: "Has a subagent look at each of these folders",
		handler: async (args, ctx) => {
			const folders = args.split(/\s+/).filter((word) => word !== "");
			if (folders.length === 0) return ctx.ui.notify("Say which folders: /survey src docs", "error");
			const found = await Promise.all(
				folders.map(async (folder) => {
					const task = `Say in one sentence what the folder ${folder} holds.`;
					const { runId } = await ask("spawn", { agent: "explorer", task, label: folder });
					const { output, error } = await ask("wait", { runId });
					return `${folder}: ${output ?? error?.message}`;
				}),
			);
			ctx.ui.notify(found.join("\n"), "info");
		},
	});
}

type Ask = <Method extends SubagentsMethod>(
	method: Method,
	params: SubagentsParams[Method],
) => Promise<SubagentsResults[Method]>;

/** Sends requests to pi-geon, and returns each answer to its caller. */
function requester(pi: ExtensionAPI): Ask {
	const waiting = new Map<string, (response: SubagentsResponse) => void>();
	pi.events.on("subagents:response", (given) => {
		const response = given as SubagentsResponse;
		waiting.get(response.id)?.(response);
	});
	return (method, params) =>
		new Promise((resolve, reject) => {
			const id = randomUUID();
			const over = () => {
				clearTimeout(timer);
				waiting.delete(id);
			};
			const timer =
				method === "wait"
					? undefined
					: setTimeout(() => {
							over();
							reject(new Error("pi-geon does not answer. Is it installed? pi install npm:pi-geon"));
						}, ANSWER_WITHIN_MS);
			waiting.set(id, (response) => {
				over();
				if (response.ok) resolve(response.result as never);
				else reject(new Error(response.error.message));
			});
			pi.events.emit("subagents:request", { version: 1, id, method, params } satisfies SubagentsRequest);
		});
}
