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
import { bare, type LookAlike, type Sample } from "./sample.ts";

/**
 * The last third of the corpus, written after the patterns and held against them before anything was changed for it:
 * what it says is what to expect of secrets that nobody thought of.
 */
export function laterBareTokens(seed = 501): Sample[] {
	const r = seeded(seed);
	const an = (length: number): string => r.pick(ALNUM, length);
	const hex = (length: number): string => r.pick(HEX, length);
	const low = (length: number): string => r.pick(LOWER + DIGIT, length);
	const url = (length: number): string => r.pick(BASE64URL, length);
	return bare([
		["airtable oauth", `oaa${an(14)}.v1.${url(60)}.${hex(64)}`],
		["anthropic admin", `sk-ant-admin01-${url(93)}AA`],
		["braintrust", `sk-${an(48)}`],
		["brevo smtp", `xsmtpsib-${hex(64)}-${an(16)}`],
		["buildkite agent", `bkct_${an(40)}`],
		["cloudflare global", `cfk_${an(40)}${hex(8)}`],
		["docker org", `dckr_oat_${url(32)}`],
		["doppler service account", `dp.sa.${an(43)}`],
		["easypost test", `EZTK${an(54)}`],
		["figma v3", `figp_${url(44)}`],
		["fleetbase", `flb_live_${an(20)}`],
		["github actions", `ghs_${an(36)}`],
		["gitlab trigger", `glptt-${hex(40)}`],
		["gitlab agent", `glagent-${url(50)}`],
		["grafana cloud", `glc_eyJ${r.pick(BASE64, 90)}=`],
		["hugging face org", `api_org_${r.pick(LOWER + UPPER, 34)}`],
		["langsmith service", `lsv2_sk_${hex(32)}_${hex(10)}`],
		["linear oauth", `lin_oauth_${hex(64)}`],
		["mailgun hex", `${hex(32)}-${hex(8)}-${hex(8)}`],
		["mapbox public", `pk.eyJ1Ijoi${an(60)}.${url(22)}`],
		["new relic mobile", `AA${hex(40)}-NRMA`],
		["new relic browser", `NRJS-${hex(19)}`],
		["notion integration", `ntn_${r.pick("123456789", 11)}${an(35)}`],
		["openai admin", `sk-admin-${url(58)}T3BlbkFJ${url(58)}`],
		["paddle", `pdl_live_apikey_${low(26)}_${an(22)}_${an(3)}`],
		["planetscale password", `pscale_pw_${url(43)}`],
		["posthog secret", `phs_${an(43)}`],
		["rapidapi", `${hex(10)}msh${hex(15)}p1${hex(5)}jsn${hex(12)}`],
		["recharge", `sk_1x1_${hex(64)}`],
		["salad", `salad_cloud_${an(6)}_${an(60)}`],
		["sendinblue v2", `xkeysib-${hex(64)}-${an(16)}`],
		["slack config", `xoxe.xoxp-1-${an(163)}`],
		["sonarqube project", `sqp_${hex(40)}`],
		["sourcegraph cody", `slk_${hex(64)}`],
		["tailscale api", `tskey-api-${an(12)}-${an(32)}`],
		["unlisted live", `acmepay_live_${an(32)}`],
		["unlisted token", `zeta_token_${an(28)}`],
		["unlisted prefix", `qxp_${an(40)}`],
		["unlisted dashed", `orbit-${an(40)}`],
		["unlisted sk", `nimbus_sk_${hex(40)}`],
		["webex", `${an(64)}_${r.pick(UPPER, 4)}_${uuid(r)}`],
		["yandex cloud", `t1.${url(120)}.${url(86)}`],
		["zapier hook", `hooks.zapier.com/hooks/catch/${r.pick(DIGIT, 7)}/${low(8)}`],
	]);
}

export function laterKeyBlocks(seed = 601): Sample[] {
	const r = seeded(seed);
	const key = (label: string, write: (pem: string[]) => string, name: string): Sample => {
		const body = lines(r.pick(BASE64, 512), 64).split("\n");
		return {
			name,
			text: write([`-----BEGIN ${label}-----`, ...body, `-----END ${label}-----`]),
			secret: body.slice(0, 7).join(""),
		};
	};
	const encoded = (label: string): string =>
		Buffer.from(`-----BEGIN ${label}-----\n${lines(r.pick(BASE64, 512), 64)}\n-----END ${label}-----\n`).toString(
			"base64",
		);
	const wrapped = encoded("EC PRIVATE KEY");
	const pfx = r.pick(BASE64URL, 43);
	return [
		key("EC PRIVATE KEY", (pem) => pem.map((line, at) => `keys/a.pem:${at + 1}:${line}`).join("\n"), "ec in grep"),
		key("OPENSSH PRIVATE KEY", (pem) => pem.map((line, at) => `${at + 1}\t${line}`).join("\n"), "openssh in nl"),
		key("PRIVATE KEY", (pem) => `ssh_key = <<EOT\n${pem.join("\n")}\nEOT`, "heredoc"),
		key("PRIVATE KEY", (pem) => `PRIVATE_KEY='${pem.join("\\n")}'`, "env with escapes"),
		key("RSA PRIVATE KEY", (pem) => pem.map((line) => `\t\t"${line}\\n"`).join("\n"), "c string literals"),
		key("RSA PRIVATE KEY", (pem) => pem.map((line) => `-${line}`).join("\n"), "removed in a diff"),
		key("PRIVATE KEY", (pem) => pem.slice(0, 6).join("\n"), "head -6"),
		key(
			"PRIVATE KEY",
			(pem) =>
				pem
					.slice(0, 6)
					.map((line, at) => `${at + 1}| ${line}`)
					.join("\n"),
			"head with bars",
		),
		key("PRIVATE KEY", (pem) => `<pre>${pem.join("<br>")}</pre>`, "html"),
		key("PRIVATE KEY", (pem) => JSON.stringify(JSON.stringify({ k: pem.join("\n") })), "json in json"),
		key(
			"PGP PRIVATE KEY BLOCK",
			(pem) => pem.join("\n").replace("-----\n", "-----\nVersion: GnuPG v2\n\n"),
			"pgp with version",
		),
		{
			name: "encoded, wrapped",
			secret: wrapped,
			text: `data:\n  key: |\n${lines(wrapped, 76).replace(/^/gm, "    ")}\n`,
		},
		{ name: "encoded in json", secret: encoded("PRIVATE KEY"), text: "" },
		{ name: "jwk symmetric", secret: pfx, text: `{"keys":[{"kty":"oct","alg":"HS256","k":"${pfx}"}]}` },
		{ name: "jwk in javascript", secret: `${pfx}x`, text: `const jwk = { kty: 'OKP', crv: 'Ed25519', d: '${pfx}x' };` },
	].map((sample) => (sample.text === "" ? { ...sample, text: `{"tls.key":"${sample.secret}","x":1}` } : sample));
}

export function laterInContext(seed = 701): Sample[] {
	const r = seeded(seed);
	const password = (): string => `${r.pick(UPPER, 2)}${r.pick(LOWER, 4)}#${r.pick(DIGIT, 3)}${r.pick(LOWER, 2)}`;
	const alnum = (): string => r.pick(ALNUM, 36);
	const hex = (): string => r.pick(HEX, 32);
	const samples: [name: string, secret: string, text: string, keep?: string][] = [
		["env with comment", password(), "DB_PASS=S # the old one", "# the old one"],
		["export quoted", alnum(), "export HCLOUD_TOKEN='S'"],
		["powershell env", alnum(), '$env:GITHUB_TOKEN = "S"'],
		["cmd set", password(), 'set "DB_PASSWORD=S"'],
		["csh", alnum(), "setenv API_TOKEN S"],
		["yaml list of maps", password(), "env:\n  - name: REDIS_PASSWORD\n    value: 'S'"],
		["yaml quoted key", password(), "'password': S"],
		["yaml single line", password(), "db: { user: al, password: S, port: 5432 }", "port: 5432"],
		["json nested", password(), '{"db":{"credentials":{"user":"al","pass":"S"}}}'],
		["json escaped", alnum(), '{"msg":"{\\"apiKey\\":\\"S\\"}"}'],
		["json camel", alnum(), '"clientSecret" : "S"'],
		["toml dotted", alnum(), 'auth.token = "S"'],
		["hcl block", password(), 'resource "x" "y" {\n  master_password = "S"\n}'],
		["hcl nested default", alnum(), 'variable "api_token" {\n  description = "x"\n  default     = "S"\n}'],
		["docker run env", password(), "docker run --env MYSQL_PASSWORD=S mysql", " mysql"],
		["docker build arg", alnum(), "docker build --build-arg NPM_TOKEN=S .", " ."],
		["dockerfile quoted", password(), 'ENV ADMIN_PASSWORD="S"'],
		[
			"kubectl docker",
			password(),
			"kubectl create secret docker-registry x --docker-password=S --docker-email=a@b.c",
			"a@b.c",
		],
		["kubectl set env", password(), "kubectl set env deploy/x DB_PASSWORD=S"],
		["helm set string", alnum(), "helm install x c --set-string apiToken=S"],
		["gcloud", password(), "gcloud sql users set-password al --password=S --instance=x", "--instance=x"],
		["aws flag", password(), "aws rds create-db-instance --master-user-password S --engine x", "--engine x"],
		["aws param", alnum(), 'aws ssm put-parameter --name /x/api_key --value "S"'],
		["psql url", password(), 'psql "postgresql://al:S@db/x"', "@db/x"],
		["mysql long", password(), 'mysql --user=root --password="S" shop', " shop"],
		["mariadb", password(), "mariadb -uroot -pS shop", " shop"],
		["mongo uri", password(), "mongodb://al:S@h1,h2/x?replicaSet=r", "@h1,h2/x"],
		["sqlcmd", password(), "sqlcmd -S db -U sa -P S -Q x", "-Q x"],
		["keytool", password(), "keytool -list -keystore k.jks -storepass S", "-keystore k.jks"],
		["gpg", password(), "gpg --batch --passphrase S -d x.gpg", "-d x.gpg"],
		["ansible cli", password(), "ansible-playbook x.yml -e ansible_password=S"],
		["npm config", alnum(), "npm config set //reg.example.org/:_authToken S"],
		["git header", alnum(), 'git -c http.extraHeader="Authorization: Bearer S" fetch', " fetch"],
		["git remote", alnum(), "git remote add o https://oauth2:S@git.example.org/a.git", "@git.example.org"],
		["curl data", password(), `curl -d '{"username":"al","password":"S"}' https://x`, "https://x"],
		["curl form", password(), "curl -F password=S https://x", "https://x"],
		["curl header", alnum(), 'curl -H "api-key: S" https://x', "https://x"],
		["http auth", password(), "http -a al:S GET https://x", "GET https://x"],
		["python requests", password(), 'requests.get(u, auth=("al", "S"))'],
		["python env default", alnum(), 'os.getenv("API_KEY", default="S")'],
		["python class", alnum(), 'class C:\n    API_TOKEN: Final[str] = "S"'],
		["python dict call", password(), "dict(user='al', passwd='S')", "user='al'"],
		["node pg", password(), "new Pool({ user: 'al', password: 'S', max: 5 })", "max: 5"],
		["node assign", alnum(), 'process.env.API_TOKEN = "S";'],
		["ts readonly", alnum(), 'private readonly apiKey: string = "S";'],
		["ts as const", password(), 'password: "S" as const,'],
		["go map", password(), 'map[string]string{"password": "S"}'],
		["go func", alnum(), 'client.SetAuthToken("S")'],
		["rust struct", password(), 'Config { password: Some("S".into()), port: 1 }', "port: 1"],
		["rust static", alnum(), 'static TOKEN: &str = "S";'],
		["java map", password(), 'props.put("password", "S");'],
		["java annotation", password(), '@DataSource(user = "al", password = "S")'],
		["kotlin named", password(), 'connect(user = "al", password = "S")'],
		["swift dict", alnum(), '["apiKey": "S"]'],
		["c# init", password(), 'new Login { User = "al", Password = "S" }'],
		["php const", password(), "const DB_PASSWORD = 'S';"],
		["ruby hash string", password(), '"password" => "S"'],
		["dart", alnum(), "final String apiKey = 'S';"],
		["haskell", password(), 'password = "S" :: String'],
		["sql grant", password(), "GRANT ALL ON x.* TO 'a'@'%' IDENTIFIED BY 'S';"],
		["sql set", password(), "SET PASSWORD FOR 'a'@'%' = 'S';"],
		["xml element attr", password(), '<dataSource username="al" password="S" url="x"/>', 'url="x"'],
		["web.config", password(), '<add name="Db" connectionString="Server=x;User ID=sa;Password=S;" />'],
		["android", alnum(), '<string name="api_key">S</string>'],
		["wifi", password(), "wpa_passphrase=S\nssid=x", "ssid=x"],
		["nmcli", password(), "nmcli dev wifi connect x password S"],
		["prose colon", password(), "Login: al, password: S", "Login: al"],
		["prose with", password(), "Log in as al with password S and look.", "and look."],
		["prose code", alnum(), "Use the token `S` for it.", "for it."],
		["log kv", alnum(), "level=info access_token=S user=al", "user=al"],
		["log json", hex(), '{"level":"info","session_token":"S"}'],
		["url token", hex(), "wss://x/ws?access_token=S&v=1", "&v=1"],
		["url fragment", alnum(), "https://x/cb#access_token=S&token_type=bearer", "token_type=bearer"],
		["cookie", alnum(), "Cookie: a=1; auth_token=S"],
		["proxy header", Buffer.from(`al:${r.pick(ALNUM, 12)}`).toString("base64"), "Proxy-Authorization: Basic S"],
		["webhook header", hex(), "X-Gitlab-Token: S"],
		["vault", r.pick(ALNUM, 24), "VAULT_TOKEN=S vault status", "vault status"],
		["mnemonic", "ripple scissors kick mammal hire column oak again sun offer wealth tomorrow", 'MNEMONIC="S"'],
	];
	return samples.map(([name, secret, text, keep]) => ({
		name,
		secret,
		text: text.replace(/\bS\b(?! db| sa)|(?<=-p)S/, () => secret),
		...(keep !== undefined && { keep }),
	}));
}

export function laterLookAlikes(seed = 801): LookAlike[] {
	const r = seeded(seed);
	const entries: [name: string, text: string][] = [
		["doppler reference", "password: doppler://prod/DB_PASSWORD"],
		["aws ssm reference", "DB_PASSWORD=ssm:/prod/db/password"],
		["secretKeyRef one line", "password: { secretKeyRef: { name: db, key: password } }"],
		["helm default", 'password: {{ default "" .Values.password }}'],
		["azure pipelines", "password: $(dbPassword)"],
		["gitlab variable", "script: deploy --token $CI_JOB_TOKEN"],
		["bash read", 'read -s -p "Password: " PASSWORD'],
		["bash check", 'if [ -z "$API_TOKEN" ]; then echo "API_TOKEN is not set"; fi'],
		["bash default empty", 'TOKEN="$' + '{TOKEN:-}"'],
		["make", "DB_PASSWORD ?= $(shell pass db)"],
		["java builder", ".password(passwordEncoder)"],
		["python getpass", 'password = getpass.getpass("Password: ")'],
		["python hash", "password_hash = bcrypt.hashpw(password.encode(), bcrypt.gensalt(12))"],
		["js destructuring", "const { password, token, apiKey } = await request.json();"],
		["js compare", "if (password !== confirmPassword) throw new Error('Passwords differ');"],
		["js storage", 'const token = localStorage.getItem("auth_token_v2");'],
		["jsx", '<TextField name="password" label="Password" value={password} />'],
		["graphql", "mutation Login($email: String!, $password: String!) { login }"],
		["proto", "string access_token = 1; bytes secret_key = 2;"],
		["go tag", 'Token string `json:"token,omitempty"`'],
		["rust derive", "pub api_key: SecretString,"],
		["c# attribute", '[JsonPropertyName("access_token")] public string AccessToken { get; init; }'],
		["csv head", "id,user,password,token,created_at"],
		["markdown docs", "| `apiKey` | string | The API key. |"],
		["markdown flag", "- `--token <token>`: the token to use"],
		["man page", "--password-file FILE  read the password from FILE"],
		["error code", "AADSTS7000215: Invalid client secret is provided."],
		["http status", "401 Unauthorized: token expired at 2026-01-02T03:04:05Z"],
		["commit subject", "fix(auth): refresh token before it expires (#1234)"],
		["ticket", "AUTH-1234: rotate keys; see KEY-77"],
		["git object", `blob ${r.pick(HEX, 64)} 1234\tsrc/token.ts`],
		["nix hash", `hash = "sha256-${r.pick(BASE64, 43)}=";`],
		["docker tag", `registry.example.org/app:token-service-${r.pick(HEX, 12)}`],
		["k8s pod", `token-service-${r.pick(HEX, 9)}-x7k2p   1/1   Running`],
		["vercel ids", `dpl_${r.pick(ALNUM, 28)} prj_${r.pick(ALNUM, 28)}`],
		["clerk ids", `user_2${r.pick(ALNUM, 26)} sess_2${r.pick(ALNUM, 26)}`],
		["trace ids", `traceparent: 00-${r.pick(HEX, 32)}-${r.pick(HEX, 16)}-01`],
		["snapshot file", `__snapshots__/auth-token.test.ts.snap ${r.pick(HEX, 8)}`],
		["content hash file", `assets/index-${r.pick(ALNUM, 8)}.js assets/vendor-${r.pick(ALNUM, 8)}.css`],
		["kms ciphertext path", "alias/my-signing-key arn:aws:kms:eu-west-1:123456789012:key/mrk-1"],
	];
	return entries.map(([name, text]) => ({ name, text }));
}
