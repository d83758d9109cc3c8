import { maskOf } from "./mask.ts";

const PHRASE =
	/(\b(?:(?:seed|recovery|backup|wallet|mnemonic|secret)[ _-]?(?:phrase|words)|mnemonic|seed)["'*]{0,3}(?:[ \t]{0,3}[:=]|[ \t]is:?)[ \t*]{0,4}["']?)([a-z]{3,8}(?:(?:, ?| {1,2})[a-z]{3,8}){11,23})(?![\w-])/gi;
/** No word list for wallets has these, and hardly any sentence is without them. */
const OF_SENTENCES = /\b(?:the|and|for|you|your|are|was|not|from|but|has|them|they|these|its|our)\b/i;
/** The same for any passphrase of at least four words, in quotes: without them it could be a sentence. */
const PASSPHRASE =
	/(\bpass[ _-]?phrase["'*]{0,3}(?:[ \t]{0,3}[:=]|[ \t]is:?|[ \t]was:?)[ \t*]{0,4}["'`“])([a-z]{3,12}(?:[ -][a-z]{3,12}){3,9})(?=["'`”])/gi;

/** Masks the words that restore a wallet or open a key, if their name comes before them. */
export function maskRecoveryPhrases(text: string): string {
	const masked = text.replace(PHRASE, (match, before: string, words: string) =>
		OF_SENTENCES.test(words) ? match : before + maskOf("recovery-phrase"),
	);
	return masked.replace(PASSPHRASE, (match, before: string, words: string) =>
		OF_SENTENCES.test(words) || /\b(?:to|of|in|is|must|at)\b/i.test(words) ? match : before + maskOf("password"),
	);
}
