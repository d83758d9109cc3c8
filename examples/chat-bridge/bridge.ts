/**
 * Lets the people of a chat talk to pi: a session for each thread, in a process of its own. Background runs that pi spawns
 * in a thread report into that thread, also if this program was not running when they ended.
 *
 *   node bridge.ts [pi command and arguments…]
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { terminalChat as chat, type Thread } from "./chat.ts";
import { Conversation } from "./conversation.ts";

const STATE = process.env.CHAT_BRIDGE_STATE ?? "chat-bridge.json";
const command = process.argv.length > 2 ? process.argv.slice(2) : ["pi"];

const conversations = new Map<string, Conversation>();
const known: Thread[] = existsSync(STATE) ? (JSON.parse(readFileSync(STATE, "utf8")) as Thread[]) : [];

function conversationIn(where: Thread): Conversation {
	const key = `${where.channel}/${where.thread}`;
	const open = conversations.get(key);
	if (open) return open;
	const onEnd = () => conversations.delete(key); // The next message starts it again.
	const conversation = new Conversation({ where, command, post: chat.post, onEnd });
	conversations.set(key, conversation);
	return conversation;
}

function remember(where: Thread): void {
	if (known.some(({ channel, thread }) => channel === where.channel && thread === where.thread)) return;
	known.push(where);
	writeFileSync(STATE, JSON.stringify(known));
}

// Runs that ended while this program was not running are reported when their session is opened.
for (const where of known) conversationIn(where);

await chat.listen((where, text) => {
	remember(where);
	conversationIn(where).hear(text);
});
for (const conversation of conversations.values()) conversation.close();
