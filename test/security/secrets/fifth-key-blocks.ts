import { generateKeyPairSync } from "node:crypto";
import { BASE64, BASE64URL, HEX, LOWER, lines, seeded } from "../../collect/redact/seeded.ts";
import type { Sample } from "./sample.ts";

/** Private keys as shells, logs, archives and other programs' files show them. */
export function fifthKeyBlocks(seed = 2301): Sample[] {
	const r = seeded(seed);
	const pem = (label: string, chars = 1_600): string[] => [
		`-----BEGIN ${label}-----`,
		...lines(r.pick(BASE64, chars), 64).split("\n"),
		`-----END ${label}-----`,
	];
	const written = (name: string, label: string, write: (pem: string[]) => string): Sample => {
		const block = pem(label);
		return { name, text: write(block), secret: block.slice(1, -1).join("") };
	};
	const text = (name: string, secret: string, write: (secret: string) => string): Sample => ({
		name,
		secret,
		text: write(secret),
	});
	const encoded = (text: string): string => Buffer.from(text).toString("base64");
	const ed = generateKeyPairSync("ed25519").privateKey;
	const edPem = String(ed.export({ type: "pkcs8", format: "pem" }));
	const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
	const rsaPem = String(rsa.export({ type: "pkcs1", format: "pem" }));
	const rsaJwk = rsa.export({ format: "jwk" });
	// biome-ignore format: one sample a line.
	return [
		text("real ed25519", edPem.split("\n")[1] ?? "", () => edPem),
		text("real rsa in a .env with real breaks", rsaPem.split("\n").slice(1, -2).join(""), () => `JWT_KEY="${rsaPem.trim()}"\nX=1`),
		text("real rsa jwk, all members", String(rsaJwk.d), () => JSON.stringify(rsaJwk, null, 2)),
		text("second prime of a jwk", String(rsaJwk.q), () => JSON.stringify(rsaJwk)),
		text("jwk in python", String(rsaJwk.d), () => `key = ${JSON.stringify(rsaJwk).replaceAll('"', "'")}`),
		text("jwk escaped", String(rsaJwk.d), () => JSON.stringify({ jwk: JSON.stringify(rsaJwk) })),
		text("oct jwk", r.pick(BASE64URL, 43), (s) => `{"kty":"oct","kid":"1","k":"${s}","alg":"HS256"}`),
		written("git show of a deleted key", "RSA PRIVATE KEY", (p) => `diff --git a/id_rsa b/id_rsa\ndeleted file mode 100600\n--- a/id_rsa\n+++ /dev/null\n@@ -1,27 +0,0 @@\n${p.map((l) => `-${l}`).join("\n")}`),
		written("git log -p, indented", "OPENSSH PRIVATE KEY", (p) => p.map((l) => `    +${l}`).join("\n")),
		written("git grep with a revision", "EC PRIVATE KEY", (p) => p.map((l, at) => `HEAD~2:certs/server.key:${at + 1}:${l}`).join("\n")),
		written("less with line numbers", "PRIVATE KEY", (p) => p.map((l, at) => `${String(at + 1).padStart(7)} ${l}`).join("\n")),
		written("vim listing", "PRIVATE KEY", (p) => p.map((l, at) => `${String(at + 1).padStart(3)} │${l}`).join("\n")),
		written("journal", "RSA PRIVATE KEY", (p) => p.map((l) => `Jan 02 03:04:05 host app[812]: ${l}`).join("\n")),
		written("structured log", "PRIVATE KEY", (p) => `{"level":"debug","msg":"loaded key ${p.join("\\n")}"}`),
		written("twice escaped", "PRIVATE KEY", (p) => `"{\\"private_key\\":\\"${p.join("\\\\n")}\\\\n\\"}"`),
		written("kubectl get secret -o yaml, stringData", "EC PRIVATE KEY", (p) => `kind: Secret\nstringData:\n  tls.key: |\n${p.map((l) => `    ${l}`).join("\n")}\ntype: kubernetes.io/tls`),
		written("ansible variable", "RSA PRIVATE KEY", (p) => `ssl_key: |\n${p.map((l) => `  ${l}`).join("\n")}\nport: 1`),
		written("csharp verbatim", "RSA PRIVATE KEY", (p) => `const string Key = @"${p.join("\r\n")}";`),
		written("rust raw", "PRIVATE KEY", (p) => `const KEY: &str = r#"${p.join("\n")}"#;`),
		written("ruby squiggly", "RSA PRIVATE KEY", (p) => `KEY = <<~PEM\n${p.map((l) => `  ${l}`).join("\n")}\nPEM`),
		written("php concatenation", "PRIVATE KEY", (p) => `$key = ${p.map((l) => `"${l}\\n"`).join("\n  . ")};`),
		written("c string lines", "EC PRIVATE KEY", (p) => `static const char key[] =\n${p.map((l) => `  "${l}\\r\\n"`).join("\n")};`),
		written("go join", "RSA PRIVATE KEY", (p) => `strings.Join([]string{\n${p.map((l) => `\t"${l}",`).join("\n")}\n}, "\\n")`),
		written("arduino progmem", "RSA PRIVATE KEY", (p) => `const char KEY[] PROGMEM = R"EOF(\n${p.join("\n")}\n)EOF";`),
		written("one line without breaks", "PRIVATE KEY", (p) => `KEY=${p.join("")}`),
		written("markdown quote in a list", "PGP PRIVATE KEY BLOCK", (p) => p.map((l) => `  > ${l}`).join("\n")),
		written("html", "PRIVATE KEY", (p) => `<pre>${p.join("<br>\n")}</pre>`),
		written("terminal with a prompt before", "OPENSSH PRIVATE KEY", (p) => `al@h:~$ cat .ssh/id_ed25519\n${p.join("\n")}\nal@h:~$ `),
		written("only the head of it", "RSA PRIVATE KEY", (p) => `$ head -4 server.key\n${p.slice(0, 4).join("\n")}`),
		written("the middle of it, in grep", "PRIVATE KEY", (p) => p.slice(3, 14).map((l, at) => `server.key:${at + 4}:${l}`).join("\n")),
		written("x509 after it", "PRIVATE KEY", (p) => `${p.join("\n")}\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----`),
		text("base64 in a ci variable", encoded(pem("OPENSSH PRIVATE KEY", 400).join("\n")), (s) => `SSH_PRIVATE_KEY_B64: "${s}"`),
		text("base64 in lines", encoded(pem("RSA PRIVATE KEY", 900).join("\n")), (s) => `$ base64 id_rsa\n${lines(s, 76)}\n$`),
		text("kubeconfig", encoded(pem("RSA PRIVATE KEY", 1_600).join("\n")), (s) => `users:\n- name: al\n  user:\n    client-certificate-data: Zm9vYmFy\n    client-key-data: ${s}`),
		text("terraform state", encoded(pem("PRIVATE KEY", 900).join("\n")), (s) => `"client_key": "${s}", "host": "x"`),
		text("putty 3", lines(r.pick(BASE64, 300), 64), (s) => `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: al\nPublic-Lines: 2\nAAAA\nBBBB\nPrivate-Lines: 5\n${s}\nPrivate-MAC: ${r.pick(HEX, 64)}`),
		text("putty in a diff", r.pick(BASE64, 64), (s) => `+PuTTY-User-Key-File-2: ssh-rsa\n+Encryption: none\n+Private-Lines: 1\n+${s}\n+Private-MAC: ${r.pick(HEX, 40)}`),
		text("age in a keys file", `AGE-SECRET-KEY-1${r.pick("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)}`, (s) => `{"sops_age_key": "${s}"}`),
		text("age plugin", `AGE-PLUGIN-YUBIKEY-1${r.pick("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 60)}`, (s) => `identity: ${s}`),
		text("wg showconf", `${r.pick(BASE64, 42)}E=`, (s) => `$ wg showconf wg0\n[Interface]\nListenPort = 51820\nPrivateKey = ${s}`),
		text("wg genkey", `${r.pick(BASE64, 42)}I=`, (s) => `$ wg genkey\n${s}\n$`),
		text("wg set", `${r.pick(BASE64, 42)}Q=`, (s) => `echo ${s} | wg pubkey`),
		text("wireguard in json", `${r.pick(BASE64, 42)}U=`, (s) => `{"private_key": "${s}", "address": ["10.0.0.2/32"]}`),
		text("minisign with the comment", r.pick(BASE64, 212), (s) => `untrusted comment: minisign encrypted secret key\n${s}\n`),
		text("cosign", lines(r.pick(BASE64, 700), 64), (s) => `-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n${s}\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----`),
		text("nebula", lines(r.pick(BASE64, 88), 64), (s) => `-----BEGIN NEBULA ED25519 PRIVATE KEY-----\n${s}\n-----END NEBULA ED25519 PRIVATE KEY-----`),
		text("nkey seed in creds", `SUA${r.pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 55)}`, (s) => `-----BEGIN USER NKEY SEED-----\n${s}\n------END USER NKEY SEED------`),
		text("tor onion key", r.pick(BASE64, 86), (s) => `ED25519-V3:${s}==`),
		text("dnssec", r.pick(BASE64, 43), (s) => `Private-key-format: v1.3\nAlgorithm: 13 (ECDSAP256SHA256)\nPrivateKey: ${s}=\nCreated: 2026`),
		text("dnssec rsa", r.pick(BASE64, 172), (s) => `Private-key-format: v1.3\nAlgorithm: 8 (RSASHA256)\nModulus: abc\nPublicExponent: AQAB\nPrivateExponent: ${s}\n`),
		text("java keystore jwk set", r.pick(BASE64URL, 43), (s) => `{"keys":[{"kty":"OKP","crv":"X25519","kid":"a","x":"abc","d":"${s}"}]}`),
		text("openssl text", Array.from({ length: 32 }, () => r.pick(HEX, 2)).join(":"), (s) => `Private-Key: (256 bit)\npriv:\n    ${s.slice(0, 44)}\n    ${s.slice(45)}\npub:\n    04:aa`.replace(`${s.slice(0, 44)}\n    ${s.slice(45)}`, s)),
		text("extended private key", `zprv${r.pick("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 107)}`, (s) => `Account 0: ${s}`),
		text("pkcs12 in yaml", `MII${r.pick(BASE64, 1_200)}`, (s) => `keystore_p12_base64: ${s}\nport: 1`),
		text("ssh.com", lines(r.pick(BASE64, 600), 70), (s) => `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "2048-bit rsa"\n${s}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`),
		text("ansible vault", lines(r.pick(HEX, 480), 80), (s) => `$ANSIBLE_VAULT;1.2;AES256;prod\n${s}\n`),
		text("ansible vault in yaml", r.pick(HEX, 160), (s) => `db_pass: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  ${s.slice(0, 80)}\n  ${s.slice(80)}\nport: 1`),
		text("appstore p8", r.pick(BASE64, 200), (s) => `APP_STORE_KEY="-----BEGIN PRIVATE KEY-----\\n${s}\\n-----END PRIVATE KEY-----"`),
		text("onion client auth", r.pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 52), (s) => `${r.pick(`${LOWER}234567`, 56)}:descriptor:x25519:${s}`),
	];
}
