/** `Retry-After` in seconds: given as a number or as a date. */
export function retryAfterSeconds(header: string | undefined, now = Date.now()): number | undefined {
	if (header === undefined) return undefined;
	if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header);
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}
