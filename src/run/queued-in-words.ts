/** The state of a queued run, with how many runs are ahead of it, if that is known. */
export function queuedInWords(ahead: number | undefined): string {
	if (ahead === undefined) return "queued";
	return ahead === 0 ? "queued · next" : `queued · ${ahead} ahead`;
}
