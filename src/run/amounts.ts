/** 999, 12.3k, 1.2M */
export function count(amount: number): string {
	if (amount < 1_000) return String(Math.round(amount));
	return amount < 999_500 ? `${scaled(amount / 1_000)}k` : `${scaled(amount / 1_000_000)}M`;
}

const scaled = (amount: number): string => (amount < 99.95 ? amount.toFixed(1).replace(/\.0$/, "") : amount.toFixed(0));

/** 12s, 5m12s, 1h05m */
export function duration(ms: number): string {
	const seconds = Math.max(0, Math.floor(ms / 1_000));
	if (seconds < 60) return `${seconds}s`;
	const minutes = Math.floor(seconds / 60);
	if (minutes < 60) return `${minutes}m${twoDigits(seconds % 60)}s`;
	return `${Math.floor(minutes / 60)}h${twoDigits(minutes % 60)}m`;
}

const twoDigits = (amount: number): string => String(amount).padStart(2, "0");

/** $1.25, and more digits for what would be rounded to nothing: $0.012, $0.0005. */
export function dollars(amount: number): string {
	if (amount < 0.0001) return "<$0.0001";
	const digits = amount < 0.01 ? 4 : amount < 0.1 ? 3 : 2;
	return `$${amount.toFixed(digits)}`;
}

export const plural = (amount: number, noun: string): string => `${amount} ${noun}${amount === 1 ? "" : "s"}`;
