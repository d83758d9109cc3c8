/** pi's thinking levels, in rising order. */
export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

export const isThinkingLevel = (text: string): text is ThinkingLevel =>
	(THINKING_LEVELS as readonly string[]).includes(text);
