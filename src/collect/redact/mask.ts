/** Replaces a secret. The start is the same for all kinds, so that a second pass recognizes it. */
export const MASK = "[redacted]";

export const MASK_WITH_KIND = "[redacted:";

export const maskOf = (kind: string): string => `${MASK_WITH_KIND}${kind}]`;

/** How every mask begins. */
export const MASKED = "[redacted";

export const isMasked = (text: string): boolean => text.includes(MASKED);

/**
 * What may come just before a token although it ends in a letter: an escaped line break of a JSON string, a colour code, a
 * percent-encoded character.
 */
export const ESCAPE = String.raw`\\[nrtbfv]|\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}|\u001b\[[0-9;]{0,12}m`;
