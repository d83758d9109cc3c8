import type { PiEvent } from "../helpers/pi.ts";
import type { startRpc } from "../helpers/rpc.ts";

type Rpc = ReturnType<typeof startRpc>;

/** A dialog as pi puts it to a client over RPC. */
export interface Dialog extends PiEvent {
	readonly id: string;
	readonly title: string;
}

export const isDialog = (event: PiEvent): event is Dialog =>
	event.type === "extension_ui_request" && ["confirm", "select", "input"].includes(String(event.method));

export const nextDialog = async (rpc: Rpc, from = 0): Promise<Dialog> =>
	(await rpc.waitForEvent(isDialog, { from })) as Dialog;

export const reply = (rpc: Rpc, { id }: Dialog, said: object): boolean =>
	rpc.child.stdin.write(`${JSON.stringify({ type: "extension_ui_response", id, ...said })}\n`);
