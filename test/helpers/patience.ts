/**
 * How long a test waits for something that must happen. Only a failure takes this long. A busy machine may be late; the
 * tests check whether it happens at all.
 */
export const PATIENCE_MS = 60_000;
