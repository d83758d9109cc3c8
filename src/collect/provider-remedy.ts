const BUSY = "Wait a moment, or set fallbackModels in the agent's file.";
const CREDENTIALS = "Check the credentials of its provider: /login.";

const REMEDIES: ReadonlyMap<number, string> = new Map([
	[401, CREDENTIALS],
	[403, CREDENTIALS],
	[402, "Check the credit of the account."],
	[404, "Check the name of the model: /model lists the available ones."],
	[429, BUSY],
]);

/** The user's remedy for a request that a provider refused, by the HTTP status that pi puts before the message. */
export function providerRemedy(message: string): string {
	const status = Number(/^\s*(\d{3})\b/.exec(message)?.[1]);
	const remedy = REMEDIES.get(status) ?? (status >= 500 ? BUSY : undefined);
	return remedy === undefined ? "" : ` ${remedy}`;
}
