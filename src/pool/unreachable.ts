import { messageOf } from "../run/message-of.ts";

/** Why the database of a pool cannot be used, for people: what happened, and what to do. Never contains the address. */
export interface Unreachable {
	problem: string;
	remedy: string;
}

const CERTIFICATE =
	"The certificate of the database was not signed by a CA that this machine trusts. Put the path of its CA certificate in the address: sslmode=verify-full&sslrootcert=/path/to/ca.crt";
const SIGN_IN = "Check the user name and the password in the address.";
const NO_ANSWER = "Check the host and the port in the address, and the network and firewalls between.";

/** By the code of Node, of OpenSSL or of PostgreSQL. */
const REMEDIES_BY_CODE: Readonly<Record<string, string>> = {
	ECONNREFUSED: "Nothing listens there. Check that PostgreSQL is running, and the host and the port in the address.",
	ENOTFOUND: "Check the host name in the address.",
	EAI_AGAIN: "The name of the host cannot be resolved now. Check the network.",
	ETIMEDOUT: NO_ANSWER,
	EHOSTUNREACH: NO_ANSWER,
	ENETUNREACH: NO_ANSWER,
	ENOENT: "Check the paths of certificates in the address (sslrootcert, sslcert, sslkey).",
	SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
	DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
	CERT_SIGNATURE_FAILURE: CERTIFICATE,
	CERT_HAS_EXPIRED: "The certificate of the database has expired. Renew it.",
	ERR_TLS_CERT_ALTNAME_INVALID: "Use the host name in the address that the certificate of the database was made for.",
	"28P01": SIGN_IN,
	"28000": `${SIGN_IN} If they are right, the database's pg_hba.conf does not let this machine in.`,
	"3D000": "Create it (createdb), or correct its name in the address.",
	"42501":
		"Grant the role its rights: docs/pool.md lists them. After an update of pi-geon, the owner of the database connects first (pi-geon pool check).",
	"53300": "The database has no connection left. Raise max_connections; a worker and a requester use up to 7 each.",
};

export function whyUnreachable(error: unknown): Unreachable {
	// A name with several addresses fails with one error for each, inside an error without a message.
	const cause = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
	const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
	const problem = messageOf(cause);
	return { problem, remedy: REMEDIES_BY_CODE[code] ?? byMessage(problem) };
}

/** The remedies for errors to which the driver gives no code. */
function byMessage(problem: string): string {
	if (/does not support SSL/i.test(problem)) {
		return "Switch TLS on in PostgreSQL (ssl = on). If the database is on this machine, you can leave sslmode out of the address instead.";
	}
	if (/timeout/i.test(problem)) return NO_ANSWER;
	return "docs/pool.md says what a pool needs.";
}
