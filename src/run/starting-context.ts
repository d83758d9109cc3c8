/** What a child session begins with: nothing (`fresh`), or a copy of the parent's conversation (`fork`). */
export const STARTING_CONTEXTS = ["fresh", "fork"] as const;

export type StartingContext = (typeof STARTING_CONTEXTS)[number];

export const isStartingContext = (value: unknown): value is StartingContext =>
	STARTING_CONTEXTS.some((context) => context === value);
