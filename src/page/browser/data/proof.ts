import { PROOF_ROUTE, PROOF_WORDS } from "../../api/routes.ts";

/** Whether the server was away since its last answer: another program may have its port then. */
let isInDoubt = false;

export function doubtServer(): void {
	isInDoubt = true;
}

/** Whether the server may get the token. A server that was away first proves that it knows the token. */
export async function mayHaveToken(token: string, signal?: AbortSignal | null): Promise<boolean> {
	if (!isInDoubt) return true;
	const nonce = hexOf(crypto.getRandomValues(new Uint8Array(32)));
	const answer = await fetch(`${PROOF_ROUTE}?nonce=${nonce}`, {
		cache: "no-store",
		credentials: "omit",
		redirect: "error",
		...(signal && { signal }),
	});
	if (!answer.ok || (await answer.text()) !== (await proofOf(token, nonce))) return false;
	isInDoubt = false;
	return true;
}

async function proofOf(token: string, nonce: string): Promise<string> {
	const algorithm = { name: "HMAC", hash: "SHA-256" };
	const bytes = new TextEncoder();
	const key = await crypto.subtle.importKey("raw", bytes.encode(token), algorithm, false, ["sign"]);
	return hexOf(new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes.encode(`${PROOF_WORDS}${nonce}`))));
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
