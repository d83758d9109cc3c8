import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inDatabase } from "./postgres-server.ts";

const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: ["ignore", "ignore", "pipe"] });

/** A certificate authority of its own, as a team may have one. Returns the file of its certificate, and its key. */
export function makeCa(folder: string, name: string): { certificate: string; key: string } {
	const [certificate, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
	openssl(
		...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
		...[...["-subj", `/CN=${name}`, "-keyout", key, "-out", certificate]],
	);
	return { certificate, key };
}

/** Switches TLS on, with a certificate of that authority for the addresses of this machine. */
export async function serveTls(
	superuser: string,
	folder: string,
	ca: { certificate: string; key: string },
): Promise<void> {
	const [{ data = "" } = {}] = await inDatabase(
		superuser,
		async (client) => (await client.query<{ data: string }>("SELECT current_setting('data_directory') AS data")).rows,
	);
	const [request, extensions] = [join(folder, "server.csr"), join(folder, "server.ext")];
	// The server reads the key itself, as the user who owns its folder.
	const [certificate, key] = [join(data, "server.crt"), join(data, "server.key")];
	writeFileSync(extensions, "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
	openssl(
		...["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost"],
		...[...["-keyout", key, "-out", request]],
	);
	openssl(
		...["x509", "-req", "-in", request, "-CA", ca.certificate, "-CAkey", ca.key, "-CAcreateserial", "-days", "2"],
		...[...["-extfile", extensions, "-out", certificate]],
	);
	const { uid, gid } = statSync(data);
	for (const file of [certificate, key]) {
		chmodSync(file, 0o600);
		chownSync(file, uid, gid);
	}
	await inDatabase(superuser, async (client) => {
		await client.query("ALTER SYSTEM SET ssl = on");
		await client.query("SELECT pg_reload_conf()");
	});
}
