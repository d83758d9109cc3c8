import { generateKeyPairSync } from "node:crypto";
import {
	ALNUM,
	BASE64,
	BASE64URL,
	DIGIT,
	HEX,
	LOWER,
	lines,
	seeded,
	UPPER,
	uuid,
} from "../../collect/redact/seeded.ts";
import { bare, type Sample } from "./sample.ts";

/** Written before the patterns were read, as the other files of the seventh part. */
export function seventhKeyBlocks(seed = 3301): Sample[] {
	const r = seeded(seed);
	const written = (name: string, label: string, write: (pem: string[]) => string): Sample => {
		const body = lines(r.pick(BASE64, 960), 64).split("\n");
		return {
			name,
			secret: body.join(""),
			text: write([`-----BEGIN ${label}-----`, ...body, `-----END ${label}-----`]),
		};
	};
	const text = (name: string, secret: string, write: (secret: string) => string): Sample => ({
		name,
		secret,
		text: write(secret),
	});
	const real = generateKeyPairSync("ed25519");
	const der = real.privateKey.export({ format: "der", type: "pkcs8" }).toString("base64");
	const jwk = real.privateKey.export({ format: "jwk" });
	return [
		written("PEM", "PRIVATE KEY", (pem) => `The file has:\n\n${pem.join("\n")}\n\nand nothing else.`),
		written("encrypted PEM", "ENCRYPTED PRIVATE KEY", (pem) => pem.join("\n")),
		written("legacy encrypted PEM", "RSA PRIVATE KEY", ([begin = "", ...rest]) =>
			[begin, "Proc-Type: 4,ENCRYPTED", `DEK-Info: AES-128-CBC,${"0F".repeat(16)}`, "", ...rest].join("\n"),
		),
		written("openssh, CRLF", "OPENSSH PRIVATE KEY", (pem) => pem.join("\r\n")),
		written("dsa", "DSA PRIVATE KEY", (pem) => pem.map((line) => `> ${line}`).join("\n")),
		written(
			"in yaml",
			"PRIVATE KEY",
			(pem) => `tls:\n  key: |-\n${pem.map((line) => `    ${line}`).join("\n")}\n  a: b`,
		),
		written("in a service account", "PRIVATE KEY", (pem) =>
			JSON.stringify({ type: "service_account", private_key: `${pem.join("\n")}\n` }),
		),
		written("in a patch", "EC PRIVATE KEY", (pem) => pem.map((line) => `+${line}`).join("\n")),
		written("in one line with spaces", "RSA PRIVATE KEY", (pem) => `KEY="${pem.join(" ")}"`),
		written("joined strings", "PRIVATE KEY", (pem) => pem.map((line) => `  "${line}\\n" +`).join("\n")),
		written("cat -n", "PRIVATE KEY", (pem) =>
			pem.map((line, at) => `${String(at + 1).padStart(6)}\t${line}`).join("\n"),
		),
		written("tail", "RSA PRIVATE KEY", (pem) => pem.slice(4).join("\n")),
		written("log with a time on each line", "PRIVATE KEY", (pem) =>
			pem.map((line) => `2025-01-02T03:04:05Z app | ${line}`).join("\n"),
		),
		written("pgp", "PGP PRIVATE KEY BLOCK", ([begin = "", ...rest]) => [begin, "", ...rest].join("\n")),
		text(
			"age",
			`AGE-SECRET-KEY-1${r.pick("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)}`,
			(key) => `# created: today\n${key}`,
		),
		text("der in a variable", der, (key) => `SIGNING_KEY_B64=${key}`),
		text("jwk", String(jwk.d), () => JSON.stringify({ keys: [{ ...jwk, kid: "1" }] })),
		text("jwk, pretty", String(jwk.d), () => JSON.stringify(jwk, null, 2)),
		text(
			"minisign",
			`RWRTY0Iy${r.pick(BASE64, 204)}`,
			(key) => `untrusted comment: minisign encrypted secret key\n${key}`,
		),
		text("putty", r.pick(BASE64, 48), (key) => `Private-Lines: 1\n${key}\nPrivate-MAC: ${"ab".repeat(32)}`),
		text("openvpn static", lines(r.pick(HEX, 512), 32), (key) =>
			["-----BEGIN OpenVPN Static key V1-----", key, "-----END OpenVPN Static key V1-----"].join("\n"),
		),
		text("wg genkey", `${r.pick(BASE64, 42)}A=`, (key) => `$ wg genkey\n${key}`),
		text("ansible vault", lines(r.pick(DIGIT, 320), 80), (key) => `$ANSIBLE_VAULT;1.1;AES256\n${key}`),
		text(
			"kubeconfig",
			Buffer.from(`-----BEGIN RSA PRIVATE KEY-----\n${r.pick(BASE64, 300)}`).toString("base64"),
			(key) => `    client-key-data: ${key}`,
		),
	];
}

export function seventhBareTokens(seed = 3401): Sample[] {
	const r = seeded(seed);
	const an = (length: number): string => r.pick(ALNUM, length);
	const hex = (length: number): string => r.pick(HEX, length);
	const low = (length: number): string => r.pick(LOWER + DIGIT, length);
	const up = (length: number): string => r.pick(UPPER + DIGIT, length);
	const url = (length: number): string => r.pick(BASE64URL, length);
	const digits = (length: number): string => r.pick("123456789", length);
	const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
	return bare([
		["github classic", `ghp_${an(36)}`],
		["github fine-grained", `github_pat_${an(22)}_${an(59)}`],
		["github app", `ghu_${an(36)}`],
		["gitlab", `glpat-${url(20)}`],
		["gitlab, routable", `glpat-${url(27)}.01.${low(9)}`],
		["gitlab deploy", `gldt-${url(20)}`],
		["gitlab runner", `glrt-${url(20)}`],
		["bitbucket app", `ATBB${an(32)}`],
		["atlassian", `ATATT3xFfGF0${url(170)}=${up(8)}`],
		["openai project", `sk-proj-${url(74)}T3BlbkFJ${url(74)}`],
		["openai service", `sk-svcacct-${url(74)}T3BlbkFJ${url(74)}`],
		["anthropic", `sk-ant-api03-${url(93)}AA`],
		["anthropic oauth", `sk-ant-oat01-${url(93)}AA`],
		["openrouter", `sk-or-v1-${hex(64)}`],
		["groq", `gsk_${an(52)}`],
		["xai", `xai-${an(80)}`],
		["perplexity", `pplx-${an(48)}`],
		["replicate", `r8_${an(37)}`],
		["hugging face", `hf_${an(34)}`],
		["fireworks", `fw_${an(24)}`],
		["nvidia", `nvapi-${url(64)}`],
		["cerebras", `csk-${low(48)}`],
		["deepseek", `sk-${hex(32)}`],
		["tavily", `tvly-dev-${an(32)}`],
		["firecrawl", `fc-${hex(32)}`],
		["pinecone", `pcsk_${an(5)}_${an(63)}`],
		["langfuse", `sk-lf-${uuid(r)}`],
		["langsmith", `lsv2_pt_${hex(32)}_${hex(10)}`],
		["e2b", `e2b_${hex(40)}`],
		["google api", `AIza${url(35)}`],
		["google oauth secret", `GOCSPX-${url(28)}`],
		["google access", `ya29.a0${url(160)}`],
		["google refresh", `1//0${url(98)}`],
		["aws id", `AKIA${r.pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)}`],
		["aws temporary id", `ASIA${r.pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)}`],
		["azure ad", `${an(3)}8Q~${url(34)}`],
		["azure devops", `${an(76)}AZDO${an(4)}`],
		["digitalocean", `dop_v1_${hex(64)}`],
		["cloudflare", `v1.0-${hex(24)}-${hex(146)}`],
		["fly", `fm2_lJPE${an(200)}`],
		["render", `rnd_${an(28)}`],
		["supabase", `sbp_${hex(40)}`],
		["supabase secret", `sb_secret_${url(31)}`],
		["neon", `napi_${low(64)}`],
		["planetscale", `pscale_tkn_${url(43)}`],
		["turso", `${json({ alg: "EdDSA", typ: "JWT" })}.${json({ a: "rw", iat: 1_700_000_000 })}.${url(86)}`],
		["databricks", `dapi${hex(32)}-2`],
		["stripe live", `sk_live_51${an(97)}`],
		["stripe restricted", `rk_live_51${an(97)}`],
		["stripe webhook", `whsec_${an(32)}`],
		["square", `EAAA${url(60)}`],
		["paystack", `sk_live_${hex(40)}`],
		["razorpay", `rzp_live_${an(14)}`],
		["shopify", `shpat_${hex(32)}`],
		["twilio", `SK${hex(32)}`],
		["sendgrid", `SG.${url(22)}.${url(43)}`],
		["mailgun", `key-${hex(32)}`],
		["mailchimp", `${hex(32)}-us21`],
		["postmark-like", `pm_live_${an(32)}`],
		["resend", `re_${an(8)}_${an(24)}`],
		["slack bot", `xoxb-${digits(12)}-${digits(12)}-${an(24)}`],
		["slack app", `xapp-1-A0${up(9)}-${digits(13)}-${hex(64)}`],
		["discord bot", `MT${an(24)}.G${an(5)}.${url(38)}`],
		["telegram bot", `${digits(10)}:AA${url(33)}`],
		["linear", `lin_api_${an(40)}`],
		["notion", `ntn_${digits(11)}${an(35)}`],
		["notion old", `secret_${an(43)}`],
		["figma", `figd_${url(40)}`],
		["airtable", `pat${an(14)}.${hex(64)}`],
		["asana", `2/12/${digits(16)}:${hex(32)}`],
		["clickup", `pk_${digits(8)}_${up(32)}`],
		["npm", `npm_${an(36)}`],
		["pypi", `pypi-AgEIcHlwaS5vcmc${url(150)}`],
		["rubygems", `rubygems_${hex(48)}`],
		["crates.io", `cio${an(32)}`],
		["nuget", `oy2${low(43)}`],
		["docker hub", `dckr_pat_${url(27)}`],
		["hashicorp vault", `hvs.CAES${url(90)}`],
		["vault batch", `hvb.AAAA${url(140)}`],
		["terraform cloud", `${an(14)}.atlasv1.${url(67)}`],
		["pulumi", `pul-${hex(40)}`],
		["doppler", `dp.pt.${an(43)}`],
		["infisical", `st.${uuid(r)}.${hex(32)}.${hex(32)}`],
		["1password service account", `ops_eyJ${an(300)}`],
		["bitwarden secret", `0.${uuid(r)}.${an(30)}:${r.pick(BASE64, 22)}==`],
		["grafana service account", `glsa_${an(32)}_${hex(8)}`],
		["datadog-like", `ddapp_${an(34)}`],
		["new relic", `NRAK-${up(27)}`],
		["sentry user", `sntryu_${hex(64)}`],
		["sentry org", `sntrys_eyJ${an(90)}_${an(43)}`],
		["posthog personal", `phx_${an(43)}`],
		["launchdarkly", `sdk-${uuid(r)}`],
		["snyk-like", `snyk_uat.${hex(8)}.${url(80)}`],
		["sonar", `squ_${hex(40)}`],
		["tailscale", `tskey-auth-${an(12)}-${an(32)}`],
		["ngrok", `2${an(26)}_${an(21)}`],
		["buildkite", `bkua_${hex(40)}`],
		["circleci", `CCIPAT_${an(22)}_${hex(40)}`],
		["netlify", `nfp_${an(36)}`],
		["vercel blob", `vercel_blob_rw_${an(16)}_${an(30)}`],
		["clerk", `sk_test_${an(42)}`],
		["workos", `sk_live_${r.pick(BASE64URL, 48)}`],
		["contentful", `CFPAT-${url(43)}`],
		["sanity", `sk${an(178)}`],
		["algolia-like", `alg_admin_${hex(32)}`],
		["mapbox secret", `sk.eyJ1Ijoi${an(70)}.${url(22)}`],
		["unknown, live", `brightpay_live_${an(24)}`],
		["unknown, secret", `zz_secret_${an(28)}`],
		["unknown, pat", `tofu_pat_${an(36)}`],
		["unknown, key", `orca_key_${hex(32)}`],
		["unknown, sk", `kiwi_sk_${an(40)}`],
		["unknown, api", `hypr_api_${an(32)}`],
		["unknown, v1", `mango-v1-${an(44)}`],
		["unknown, test", `lark_test_${an(24)}`],
	]);
}
