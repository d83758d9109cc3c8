import { createInterface } from "node:readline";

/** Where a message belongs. A route is made from this. */
export interface Thread {
	channel: string;
	thread: string;
}

/** Everything that the bridge needs from a chat. Write your own for the chat that you use. */
export interface Chat {
	post(where: Thread, text: string): void;
	/** Calls back for every message of a person; resolves when the chat is over. */
	listen(onMessage: (where: Thread, text: string) => void): Promise<void>;
}

/** A chat without a chat: `general/1: Hello` on standard input is a message, and posts are printed the same way. */
export const terminalChat: Chat = {
	post({ channel, thread }, text) {
		for (const line of text.split("\n")) console.log(`${channel}/${thread} | ${line}`);
	},
	async listen(onMessage) {
		for await (const line of createInterface({ input: process.stdin })) {
			const [, channel, thread, text] = /^([\w.-]+)\/([\w.-]+):\s*(.+)$/.exec(line) ?? [];
			if (channel && thread && text) onMessage({ channel, thread }, text);
			else if (line.trim() !== "") console.log("Write <channel>/<thread>: <message>");
		}
	},
};
