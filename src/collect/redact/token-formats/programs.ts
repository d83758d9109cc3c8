import { digits, ENDS, format, raw, type TokenFormat } from "../token-format.ts";

const BASE58 = raw`[1-9A-HJ-NP-Za-km-z]`;

/** Keys of programs and of wallets. */
export const OF_PROGRAMS: readonly TokenFormat[] = [
	// Keys of programs
	format("nats-seed", "SU SA SO SN SC SX", raw`[A-Z2-7]{56}(?![\w+/=-])`, digits),
	format("onion-key", "ED25519-V3:", raw`[A-Za-z0-9+/]{86}==`),
	format("onion-key", "descriptor:x25519:", raw`[A-Z2-7]{52}(?!\w)`),
	// Wallets
	format("wallet-key", "xprv yprv zprv tprv uprv vprv", raw`${BASE58}{95,112}${ENDS}`),
	format("wallet-key", "nsec1", raw`[02-9ac-hj-np-z]{58}${ENDS}`),
	format("wallet-key", "K? L?", raw`${BASE58}{50}(?![\w+/=-])`, {
		accept: (match) => /\d/.test(match) && /[A-Z]/.test(match.slice(1)) && /[a-z]/.test(match),
	}),
	format("wallet-key", "5H 5J 5K", raw`${BASE58}{49}(?![\w+/=-])`, digits),
	format("wallet-key", "S?", raw`[A-Z2-7]{54}(?![\w+/=-])`, digits),
	format("wallet-key", "edsk edpk edesk", raw`${BASE58}{50,95}${ENDS}`, digits),
	format("wallet-key", "suiprivkey1", raw`[02-9ac-hj-np-z]{50,70}`),
	format("wallet-key", "PVT_K1_ PVT_R1_", raw`${BASE58}{45,60}`),
];
