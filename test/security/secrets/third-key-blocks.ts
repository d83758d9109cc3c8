import { generateKeyPairSync } from "node:crypto";
import { ALNUM, BASE64, BASE64URL, HEX, LOWER, lines, seeded } from "../../collect/redact/seeded.ts";
import type { Sample } from "./sample.ts";

/** Private keys in the places and notations that tools write them in. */
export function thirdKeyBlocks(seed = 1401): Sample[] {
	const r = seeded(seed);
	const block = (label: string, chars: number): string[] => [
		`-----BEGIN ${label}-----`,
		...lines(r.pick(BASE64, chars), 64).split("\n"),
		`-----END ${label}-----`,
	];
	const written = (name: string, label: string, write: (pem: string[]) => string): Sample => {
		const pem = block(label, 1_600);
		return { name, text: write(pem), secret: pem.slice(1, -1).join("") };
	};
	const text = (name: string, secret: string, write: (secret: string) => string): Sample => ({
		name,
		secret,
		text: write(secret),
	});
	const real = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
	const pem = String(real.export({ type: "pkcs8", format: "pem" }));
	const jwk = real.export({ format: "jwk" });
	const encoded = (pemLines: string[]): string => Buffer.from(pemLines.join("\n")).toString("base64");
	// biome-ignore format: one sample a line.
	return [
		written("pem in yaml, folded", "RSA PRIVATE KEY", (p) => `tls:\n  key: |-\n${p.map((l) => `    ${l}`).join("\n")}\n  port: 1`),
		written("pem in a one-line variable", "PRIVATE KEY", (p) => `FIREBASE_PRIVATE_KEY="${p.join("\\n")}\\n"\nX=1`),
		written("pem with CRLF in json", "RSA PRIVATE KEY", (p) => `{"key":"${p.join("\\r\\n")}"}`),
		written("pem in toml", "EC PRIVATE KEY", (p) => `key = """\n${p.join("\n")}\n"""`),
		written("pem in python", "PRIVATE KEY", (p) => `KEY = (\n${p.map((l) => `    "${l}\\n"`).join("\n")}\n)`),
		written("pem in java", "RSA PRIVATE KEY", (p) => `String k = ${p.map((l) => `"${l}\\n"`).join(" +\n  ")};`),
		written("pem in javascript", "PRIVATE KEY", (p) => `const k = [\n${p.map((l) => `  '${l}',`).join("\n")}\n].join('\\n');`),
		written("pem with spaces for breaks", "OPENSSH PRIVATE KEY", (p) => `SSH_KEY=${p.join(" ")}`),
		written("pem quoted in mail", "RSA PRIVATE KEY", (p) => p.map((l) => `> ${l}`).join("\n")),
		written("pem in a comment", "EC PRIVATE KEY", (p) => `/*\n${p.map((l) => ` * ${l}`).join("\n")}\n */`),
		written("pem in git diff", "DSA PRIVATE KEY", (p) => `@@ -0,0 +1,30 @@\n${p.map((l) => `+${l}`).join("\n")}`),
		written("pem in cat -n", "PRIVATE KEY", (p) => p.map((l, at) => `${String(at + 1).padStart(6)}\t${l}`).join("\n")),
		written("pem in rg", "PRIVATE KEY", (p) => p.map((l, at) => `deploy/key.pem-${at + 1}-${l}`).join("\n")),
		written("pem tail", "RSA PRIVATE KEY", (p) => `$ tail -8 id_rsa\n${p.slice(-8).join("\n")}`),
		written("pem in a log with times", "RSA PRIVATE KEY", (p) => p.map((l) => `2026-01-02T03:04:05Z ${l}`).join("\n")),
		written("pem in docker compose log", "PRIVATE KEY", (p) => p.map((l) => `app-1  | ${l}`).join("\n")),
		written("pem in xml", "PRIVATE KEY", (p) => `<privateKey><![CDATA[${p.join("\n")}]]></privateKey>`),
		written("pem url-encoded", "PRIVATE KEY", (p) => `key=${encodeURIComponent(p.join("\n"))}&x=1`),
		written("pem in terraform", "RSA PRIVATE KEY", (p) => `resource "x" "y" {\n  private_key = <<-KEY\n${p.map((l) => `    ${l}`).join("\n")}\n  KEY\n}`),
		written("ssh2 block", "SSH2 ENCRYPTED PRIVATE KEY", (p) => p.join("\n").replaceAll("-----", "----").replace("----\n", '----\nComment: "rsa-key"\n')),
		written("pgp armoured with checksum", "PGP PRIVATE KEY BLOCK", (p) => p.join("\n").replace("-----\n", "-----\n\n").replace("\n-----END", "\n=aB3d\n-----END")),
		written("pkcs8 encrypted with headers", "RSA PRIVATE KEY", (p) => p.join("\n").replace("-----\n", `-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,${r.pick(HEX, 32).toUpperCase()}\n\n`)),
		written("tss2", "TSS2 PRIVATE KEY", (p) => p.join("\n")),
		written("openvpn static", "OpenVPN Static key V1", (p) => p.join("\n")),
		text("real pkcs8", pem.split("\n").slice(1, -2).join(""), () => pem),
		text("real jwk", String(jwk.d), () => JSON.stringify({ keys: [jwk] })),
		text("jwk rsa members", r.pick(BASE64URL, 342), (s) => `{"kty":"RSA","n":"abc","e":"AQAB","d":"${s}","p":"x"}`),
		text("jwk pretty", r.pick(BASE64URL, 43), (s) => `{\n  "kty": "EC",\n  "crv": "P-256",\n  "d": "${s}"\n}`),
		text("jwk yaml", r.pick(BASE64URL, 43), (s) => `kty: OKP\ncrv: Ed25519\nd: ${s}\nx: abc`),
		text("kubeconfig client-key-data", encoded(block("EC PRIVATE KEY", 160)), (s) => `    client-key-data: ${s}`),
		text("tls.key in a secret", encoded(block("PRIVATE KEY", 1_600)), (s) => `data:\n  tls.crt: Zm9v\n  tls.key: ${s}\n`),
		text("base64 key under any name", encoded(block("PRIVATE KEY", 600)), (s) => `BLOB=${s}`),
		text("putty 2", lines(r.pick(BASE64, 600), 64), (s) => `PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 10\n${s}\nPrivate-MAC: ${r.pick(HEX, 40)}`),
		text("age", `AGE-SECRET-KEY-1${r.pick("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)}`, (s) => `# created: 2026\n# public key: age1x\n${s}`),
		text("wireguard", `${r.pick(BASE64, 42)}A=`, (s) => `[Interface]\nPrivateKey=${s}\nListenPort=51820`),
		text("minisign", r.pick(BASE64, 212), (s) => `untrusted comment: minisign encrypted secret key\n${s}`),
		text("signify", r.pick(BASE64, 140), (s) => `untrusted comment: signify secret key\n${s}`),
		text("xml rsa", r.pick(BASE64, 172), (s) => `<RSAKeyValue><Modulus>abc</Modulus><D>${s}</D></RSAKeyValue>`),
		text("sops age", `AGE-SECRET-KEY-1${r.pick("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)}`, (s) => `SOPS_AGE_KEY=${s} sops -d x`),
		text("solana id.json", Array.from({ length: 64 }, () => 100 + (r.pick(HEX, 1).charCodeAt(0) % 100)).join(","), (s) => `[${s}]`),
		text("bip32", `xprv9s21ZrQH143K${r.pick("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 95)}`, (s) => `root: ${s}`),
		text("nostr", `nsec1${r.pick("qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58)}`, (s) => `Key ${s} leaked`),
		text("google service account", `${r.pick(BASE64, 64)}`, (s) => `"private_key_id": "${r.pick(HEX, 40)}", "private_key": "-----BEGIN PRIVATE KEY-----\\n${s}\\n${r.pick(BASE64, 64)}\\n-----END PRIVATE KEY-----\\n"`),
		text("pfx base64", `MII${r.pick(BASE64, 1_500)}`, (s) => `PFX_BASE64=${s}`),
		text("java keystore base64", `/u3+7QAAAAIAAAAB${r.pick(BASE64, 800)}`, (s) => `KEYSTORE_BASE64: ${s}`),
		text("ssh agent name", `${r.pick(LOWER, 4)}${r.pick(ALNUM, 60)}`, (s) => `ssh_private_key: ${s}`),
	];
}
