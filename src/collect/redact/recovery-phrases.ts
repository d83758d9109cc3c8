import { maskOf } from "./mask.ts";

const PHRASE =
	/(\b(?:(?:seed|recovery|backup|wallet|mnemonic|secret)[ _-]?(?:phrase|words)|mnemonic|seed)["'*]{0,3}(?:[ \t]{0,3}[:=]|[ \t]is:?)[ \t*]{0,4}["']?)([a-z]{3,8}(?:(?:, ?| {1,2})[a-z]{3,8}){11,23})(?![\w-])/gi;
/** No word list for wallets has these, and hardly any sentence is without them. */
const OF_SENTENCES = /\b(?:the|and|for|you|your|are|was|not|from|but|has|them|they|these|its|our)\b/i;

/** Masks the words that restore a wallet, if their name comes before them. In quotes they are found like any value. */
export function maskRecoveryPhrases(text: string): string {
	return text.replace(PHRASE, (match, before: string, words: string) =>
		OF_SENTENCES.test(words) ? match : before + maskOf("recovery-phrase"),
	);
}
