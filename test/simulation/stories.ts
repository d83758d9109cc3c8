/** What is done in a conversation that had one prompt and its answer before. */
export interface Story {
	/** What is said to it, if anything. */
	prompt?: "Hello." | "Use the tool." | "Held.";
	/** The messages that are sent, the last of which starts a turn, and when. */
	send: string;
	at: "rest" | "prompt on its way" | "model" | "tool" | "coming to rest";
	/** From when on the disk is full. */
	fullFrom?: "rest" | "model";
	/** Whether there is room in the end, and something else is said. */
	again?: boolean;
}

export const STORIES: Record<string, Story> = {
	"a message at rest": { send: "A", at: "rest" },
	"two messages at rest": { send: "A B", at: "rest" },
	"a message while the model works": { prompt: "Hello.", send: "A", at: "model" },
	"two messages while the model works": { prompt: "Hello.", send: "A B", at: "model" },
	"two messages while a tool works": { prompt: "Use the tool.", send: "A B", at: "tool" },
	"two messages as pi comes to rest": { prompt: "Hello.", send: "A B", at: "coming to rest" },
	"a message while a prompt is on its way": { prompt: "Held.", send: "A", at: "prompt on its way" },
	"a message on a full disk": { send: "A", at: "rest", fullFrom: "rest", again: true },
	"two messages on a full disk": { send: "A B", at: "rest", fullFrom: "rest", again: true },
	"a message before the disk is full": { prompt: "Hello.", send: "A", at: "model", fullFrom: "model", again: true },
	"two messages before the disk is full": { prompt: "Hello.", send: "A B", at: "model", fullFrom: "model" },
};
