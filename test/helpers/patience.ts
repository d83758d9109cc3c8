/**
 * How long a test waits for what must happen. Only a failure takes so long: a busy machine may be late, and whether it
 * happens at all is what is asked.
 */
export const PATIENCE_MS = 60_000;
