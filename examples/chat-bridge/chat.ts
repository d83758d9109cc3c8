import { createInterface } from "node:readline";

/** Where a message belongs. This is what a route is made of. */
export interface Thread {
	channel: string;
	thread: string;
}

/** All that the bridge needs of a chat. Write another of these for the chat that you have. */
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
