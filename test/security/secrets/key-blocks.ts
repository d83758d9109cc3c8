import { BASE64, BASE64URL, HEX, lines, type Seeded, seeded } from "../../collect/redact/seeded.ts";
import type { Sample } from "./sample.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const pem = (body: string, label = "PRIVATE KEY"): string =>
	`-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`;

/** Private keys in the wrappings in which an agent quotes them. */
export function keyBlocks(seed = 201): Sample[] {
	const r = seeded(seed);
	const body = (length = 640): string => lines(r.pick(BASE64, length), 64);
	/** `wrap` writes the key; the secret of the sample is what stands in its first lines. */
	const wrapped = (name: string, wrap: (key: string) => string, label?: string): Sample => {
		const secret = body();
		return { name, text: wrap(pem(secret, label)), secret: secret.split("\n").slice(0, 9).join("") };
	};
	const everyLine = (key: string, write: (line: string, at: number) => string): string =>
		key
			.split("\n")
			.map((line, at) => write(line, at + 1))
			.join("\n");
	return [
		wrapped(
			"grep with file and line",
			(key) => everyLine(key, (line, at) => `deploy/id_rsa:${at}:${line}`),
			"RSA PRIVATE KEY",
		),
		wrapped("grep context lines", (key) => everyLine(key, (line, at) => `certs/server.key-${at}-${line}`)),
		wrapped("ripgrep line numbers", (key) => everyLine(key, (line, at) => `${at + 40}:${line}`)),
		wrapped("cat -n", (key) => everyLine(key, (line, at) => `${String(at).padStart(6)}\t${line}`)),
		wrapped("listing with bars", (key) => everyLine(key, (line, at) => `${String(at).padStart(4)} | ${line}`)),
		wrapped("read tool arrows", (key) => everyLine(key, (line, at) => `${String(at).padStart(6)}→${line}`)),
		wrapped("docker compose logs", (key) => everyLine(key, (line) => `api_1  | ${line}`)),
		wrapped("timestamps", (key) => everyLine(key, (line, at) => `2026-01-02T03:04:0${at % 10}Z ${line}`)),
		wrapped("diff", (key) => `@@ -0,0 +1,12 @@\n${everyLine(key, (line) => `+${line}`)}\n context`),
		wrapped("mail quote", (key) => everyLine(key, (line) => `> > ${line}`)),
		wrapped("string concatenation", (key) => `const key =\n${everyLine(key, (line) => `  "${line}\\n" +`)}\n  "";`),
		wrapped("array of strings", (key) => `[\n${everyLine(key, (line) => `  '${line}',`)}\n].join("\\n")`),
		wrapped("commented out", (key) => everyLine(key, (line) => `# ${line}`)),
		wrapped("one line with spaces", (key) => `KEY="${key.replaceAll("\n", " ")}"`),
		wrapped("double-escaped", (key) => `"{\\"key\\":\\"${key.replaceAll("\n", "\\\\n")}\\\\n\\"}"`),
		wrapped("carriage returns", (key) => `${key.replaceAll("\n", "\r\n")}\r\n`),
		wrapped("url-encoded", (key) => `key=${encodeURIComponent(key)}&next=1`),
		wrapped("yaml block", (key) => `tls:\n  key: |\n${everyLine(key, (line) => `    ${line}`)}\n  port: 8443`),
		wrapped("cut off with line numbers", (key) =>
			everyLine(key, (line, at) => `${at}: ${line}`)
				.split("\n")
				.slice(0, 8)
				.join("\n"),
		),
		wrapped("dsa", (key) => key, "DSA PRIVATE KEY"),
		wrapped("cosign", (key) => key, "ENCRYPTED SIGSTORE PRIVATE KEY"),
		wrapped(
			"pem headers",
			(key) => key.replace("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n"),
			"RSA PRIVATE KEY",
		),
		onlyTheEnd(body()),
		kubeconfig(r),
		kubernetesSecret(r),
		base64Env(r),
		bareBase64Pem(r),
		openvpn(r),
		rsaKeyValue(r),
		jwkPretty(r),
		jwkEscaped(r),
		ssh2(body()),
	];
}

function onlyTheEnd(body: string): Sample {
	return {
		name: "beginning cut off",
		text: `$ tail -6 id_rsa\n${body}\n-----END RSA PRIVATE KEY-----\n$`,
		secret: body.replaceAll("\n", ""),
	};
}

function encodedKey(r: Seeded): string {
	return base64(`${pem(lines(r.pick(BASE64, 600), 64), "RSA PRIVATE KEY")}\n`);
}

function kubeconfig(r: Seeded): Sample {
	const secret = encodedKey(r);
	return {
		name: "kubeconfig",
		secret,
		text: `users:\n- name: admin\n  user:\n    client-key-data: ${secret}\n`,
		keep: "- name: admin",
	};
}

function kubernetesSecret(r: Seeded): Sample {
	const secret = encodedKey(r);
	return {
		name: "kubernetes tls secret",
		secret,
		text: `kind: Secret\ndata:\n  tls.key: ${secret}\ntype: kubernetes.io/tls`,
		keep: "kubernetes.io/tls",
	};
}

function base64Env(r: Seeded): Sample {
	const secret = encodedKey(r);
	return { name: "base64 pem in the environment", secret, text: `JWT_SIGNER_B64=${secret}\nPORT=80`, keep: "PORT=80" };
}

function bareBase64Pem(r: Seeded): Sample {
	const secret = encodedKey(r);
	return { name: "base64 pem in prose", secret, text: `The file holds ${secret} only.`, keep: " only." };
}

function openvpn(r: Seeded): Sample {
	const secret = lines(r.pick(HEX, 512), 32);
	const text = `<tls-auth>\n-----BEGIN OpenVPN Static key V1-----\n${secret}\n-----END OpenVPN Static key V1-----\n</tls-auth>`;
	return { name: "openvpn static key", secret, text, keep: "</tls-auth>" };
}

function rsaKeyValue(r: Seeded): Sample {
	const secret = `${r.pick(BASE64, 171)}=`;
	return {
		name: "xml rsa key",
		secret,
		text: `<RSAKeyValue><Modulus>AQAB</Modulus><D>${secret}</D></RSAKeyValue>`,
		keep: "</RSAKeyValue>",
	};
}

function jwkPretty(r: Seeded): Sample {
	const secret = r.pick(BASE64URL, 342);
	return {
		name: "jwk rsa",
		secret,
		text: `{\n  "kty": "RSA",\n  "n": "abc",\n  "d": "${secret}",\n  "e": "AQAB"\n}`,
		keep: '"e": "AQAB"',
	};
}

function jwkEscaped(r: Seeded): Sample {
	const secret = r.pick(BASE64URL, 43);
	return {
		name: "jwk in a json string",
		secret,
		text: `{"jwk":"{\\"kty\\":\\"EC\\",\\"crv\\":\\"P-256\\",\\"d\\":\\"${secret}\\"}"}`,
		keep: "P-256",
	};
}

function ssh2(body: string): Sample {
	const text = `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "rsa"\n${body}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`;
	return { name: "ssh2", text, secret: body.replaceAll("\n", "") };
}
