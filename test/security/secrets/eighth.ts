// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what other languages fill in.
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
import { bare, filled, type LookAlike, type Sample } from "./sample.ts";

/** Written after the changes that the seventh part led to, to see whether they were general. `§` is the secret. */
export function eighthInContext(seed = 4101): Sample[] {
	const r = seeded(seed);
	const an = (length: number): string => r.pick(ALNUM, length);
	const hex = (length: number): string => r.pick(HEX, length);
	const b64 = (length: number): string => r.pick(BASE64, length);
	const url = (length: number): string => r.pick(BASE64URL, length);
	const simple = (): string => `${r.pick(LOWER, 8)}${r.pick(DIGIT, 3)}`;
	const mixed = (): string => `${r.pick(UPPER, 1)}${r.pick(LOWER, 4)}_${r.pick(DIGIT, 3)}${r.pick("!?#%&", 1)}${an(3)}`;
	const plain = (): string => `${an(7)}.${an(4)}-${an(5)}`;
	// biome-ignore format: one sample a line.
	return filled([
		["ci log with a time", mixed(), "2025-11-02T10:11:12.1234567Z   DB_PASSWORD: §\n2025-11-02T10:11:12.2Z   NODE_ENV: test", "NODE_ENV: test"],
		["group in a ci log", an(40), "##[group]env\n  DEPLOY_TOKEN: §\n##[endgroup]", "##[endgroup]"],
		["travis", an(32), "env:\n  global:\n    - CF_API_TOKEN=§ CF_ZONE=x", "CF_ZONE=x"],
		["teamcity", simple(), '<param name="env.MYSQL_PWD" value="§" />', 'name="env.MYSQL_PWD"'],
		["woodpecker", an(30), "environment:\n  SONAR_TOKEN: §\ncommands:", "commands:"],
		["make variable", an(32), "PUBLISH_TOKEN := §\nall: build", "all: build"],
		["justfile", mixed().replace("#", "x"), 'export SMTP_PASSWORD := "§"', "export SMTP_PASSWORD"],
		["taskfile", simple(), "vars:\n  ADMIN_PASS: §\n  PORT: 80", "PORT: 80"],
		["nomad", mixed(), 'template {\n  data = <<EOH\nDB_PASS="§"\nDB_HOST=db\nEOH\n}', "DB_HOST=db"],
		["consul-template", an(24), "api_secret = §\napi_host = x", "api_host = x"],
		["caddyfile", an(40), "tls {\n  dns cloudflare {\n    api_token §\n  }\n}", "dns cloudflare"],
		["traefik", an(24), "CF_DNS_API_TOKEN=§\nTZ=UTC", "TZ=UTC"],
		["homeassistant", simple(), "mqtt_password: §\nmqtt_user: ha", "mqtt_user: ha"],
		["esphome", simple(), 'wifi:\n  ssid: "home"\n  password: "§"', 'ssid: "home"'],
		["frigate", simple(), "path: rtsp://admin:§@10.0.0.20:554/stream1", "@10.0.0.20:554/stream1"],
		["zigbee2mqtt", hex(32), "advanced:\n  network_key: §\n  channel: 11", "channel: 11"],
		["synapse", url(43), 'registration_shared_secret: "§"\nreport_stats: false', "report_stats: false"],
		["mastodon", hex(128), "OTP_SECRET=§\nLOCAL_DOMAIN=x.org", "LOCAL_DOMAIN=x.org"],
		["authentik", b64(50), "AUTHENTIK_SECRET_KEY=§\nAUTHENTIK_HOST=x", "AUTHENTIK_HOST=x"],
		["vaultwarden", b64(64), "ADMIN_TOKEN=§\nDOMAIN=https://x.org", "DOMAIN=https://x.org"],
		["superset", b64(56), "SECRET_KEY = '§'\nROW_LIMIT = 5000", "ROW_LIMIT = 5000"],
		["dbt profile", mixed(), "outputs:\n  dev:\n    type: snowflake\n    user: al\n    password: §\n    role: dev", "role: dev"],
		["kafka jaas", mixed(), 'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="al" password="§";', 'username="al"'],
		["elasticsearch", simple(), "curl -u elastic:§ -k https://es:9200/_cat/health", "https://es:9200/_cat/health"],
		["elastic api key", b64(60), "curl -H 'Authorization: ApiKey §==' https://es:9200", "https://es:9200"],
		["neo4j", simple(), "NEO4J_AUTH=neo4j/§", "NEO4J_AUTH=neo4j/"],
		["cassandra", simple(), "PlainTextAuthProvider(username='al', password='§')", "username='al'"],
		["influx", `${url(86)}==`, "influx write --bucket b --token § --org o", "--org o"],
		["snowsql", mixed(), "SNOWSQL_PWD='§' snowsql -a acc -u al", "snowsql -a acc -u al"],
		["bq / oauth", url(50), '{"refresh_token": "1//0§", "client_id": "x"}', '"client_id": "x"'],
		["pg_basebackup", simple(), "primary_conninfo = 'host=db user=rep password=§ sslmode=prefer'", "sslmode=prefer"],
		["pgbouncer", `md5${hex(32)}`, '"al" "§"', '"al"'],
		["proxysql", simple(), "mysql_users=\n(\n  { username=\"al\", password=\"§\", default_hostgroup=0 }\n)", "default_hostgroup=0"],
		["mysql warning", simple(), "mysqladmin: connect failed with -u root -p§", "connect failed"],
		["python traceback", plain(), 'File "a.py", line 3, in <module>\n    client = Client(token="§")\nValueError: x', "ValueError: x"],
		["pytest diff", an(32), "E       AssertionError: assert {'api_key': '§'} == {}", "AssertionError"],
		["ruby backtrace", simple(), "from (irb):1:in `connect(\"al\", password: \"§\")'", "from (irb):1"],
		["java exception", simple(), "java.sql.SQLException: Access denied (url=jdbc:mysql://db/x?user=al&password=§)", "Access denied"],
		["go panic", an(40), 'panic: bad config: main.Config{Addr:":80", APIKey:"§", Debug:true}', "Debug:true"],
		["rust env", an(40), 'std::env::set_var("API_TOKEN", "§");', "set_var"],
		["axum layer", an(32), 'let key = EncodingKey::from_secret("§".as_ref());', "EncodingKey::from_secret"],
		["nestjs", an(28), "JwtModule.register({ secret: '§', signOptions: { expiresIn: '60s' } })", "signOptions"],
		["next config", an(32), "env: { STRIPE_SECRET_KEY: '§', REGION: 'eu' }", "REGION: 'eu'"],
		["vite define", an(32), '"import.meta.env.VITE_SECRET_TOKEN": JSON.stringify("§"),', "JSON.stringify"],
		["svelte", an(32), "const headers = { 'X-Access-Token': '§' };", "const headers"],
		["playwright", mixed(), "await page.getByLabel('Password').fill('§');", "getByLabel"],
		["cypress", simple(), "cy.get('input[name=password]').type('§{enter}')", "cy.get"],
		["k8s patch", Buffer.from(`x-${an(18)}`).toString("base64"), "kubectl patch secret db -p '{\"data\":{\"password\":\"§\"}}'", "kubectl patch secret db"],
		["eksctl", url(60), "aws eks get-token --cluster-name x | jq .status.token\n\"k8s-aws-v1.§\"", "--cluster-name x"],
		["terraform output", plain(), "$ terraform output -raw db_password\n§\n$ ls", "$ ls"],
		["ssm output", mixed(), '"Parameter": { "Name": "/x/db_password", "Type": "SecureString", "Value": "§" }', "SecureString"],
		["gitlab api", `glpat-${url(20)}`, "https://git.example.org/api/v4/projects?private_token=§&page=2", "page=2"],
		["openweather", hex(32), "http://api.example.org/data/2.5/weather?q=Bern&APPID=§", "q=Bern"],
		["grpc metadata", url(48), "grpcurl -H 'authorization: bearer §' x:443 list", "x:443 list"],
		["hurl", an(36), "GET https://x.org\nAuthorization: token §\nHTTP 200", "HTTP 200"],
		["bruno", an(32), "auth:bearer {\n  token: §\n}", "auth:bearer"],
		["set-cookie, laravel", `eyJpdiI6${b64(160)}%3D`, "Set-Cookie: laravel_session=§; expires=Fri; path=/", "path=/"],
		["invitation link", url(32), "Invite: https://x.org/invite?invite_token=§", "https://x.org/invite"],
		["zoom link", url(40), "https://us02web.zoom.us/j/123456789?pwd=§", "zoom.us/j/123456789"],
		["german prose", simple(), "Das Passwort lautet §.", "Das Passwort lautet"],
		["ticket", mixed(), "Steps: log in as qa@x.org (password: §), open Settings.", "open Settings."],
		["chat", simple(), "> the wifi pw is §", "the wifi pw is"],
		["yaml anchor merge", mixed(), "defaults: &d\n  password: \"§\"\nprod:\n  <<: *d", "<<: *d"],
		["toml array of tables", an(40), '[[registries]]\nname = "acme"\ntoken = "§"', 'name = "acme"'],
		["ini with colon", simple(), "[mail]\nhost: x\npassword: §\ntls: yes", "tls: yes"],
		["csv of users", mixed(), "email;password;role\nal@x.org;§;admin", "al@x.org"],
	]);
}

export function eighthBareTokens(seed = 4201): Sample[] {
	const r = seeded(seed);
	const an = (length: number): string => r.pick(ALNUM, length);
	const hex = (length: number): string => r.pick(HEX, length);
	const low = (length: number): string => r.pick(LOWER + DIGIT, length);
	const url = (length: number): string => r.pick(BASE64URL, length);
	return bare([
		["github refresh", `ghr_${an(76)}`],
		["gitlab feed", `glft-${url(20)}`],
		["gitlab scim", `glsoat-${url(20)}`],
		["hugging face, long", `hf_${an(37)}`],
		["mistral-like", `mst_live_${an(32)}`],
		["cohere-like", `co_secret_${an(40)}`],
		["openai session", `sess-${an(40)}`],
		["stripe test", `sk_test_51${an(97)}`],
		["slack user", `xoxp-${r.pick("123456789", 12)}-${r.pick("123456789", 12)}-${r.pick("123456789", 13)}-${hex(32)}`],
		["slack refresh", `xoxe-1-${an(147)}`],
		["shopify partner", `shppa_${hex(32)}`],
		["heroku", `HRKU-AA${url(58)}`],
		["linode-like", `lin_key_${hex(48)}`],
		["scaleway", `SCW${r.pick(UPPER + DIGIT, 17)}`],
		["oracle-like", `ocid_token_${an(44)}`],
		["vercel", `vck_${an(56)}`],
		["grafana cloud", `glc_eyJvIjoi${an(90)}`],
		["dynatrace", `dt0c01.${r.pick(UPPER + DIGIT, 24)}.${r.pick(UPPER + DIGIT, 64)}`],
		["confluent-like", `cflt_${an(60)}`],
		["jfrog reference", `cmVmdGtuOj${an(54)}`],
		["jfrog api", `AKCp${an(69)}`],
		["unknown, prod", `pigeon_prod_${low(32)}`],
		["unknown, token with dash", `stork-token-${an(32)}`],
		["unknown, capitals", `TERN_${an(48)}`],
	]);
}

export function eighthLookAlikes(seed = 4301): LookAlike[] {
	const r = seeded(seed);
	const an = (length: number): string => r.pick(ALNUM, length);
	const hex = (length: number): string => r.pick(HEX, length);
	const b64 = (length: number): string => r.pick(BASE64, length);
	// biome-ignore format: one look-alike a line.
	const entries: [name: string, text: string][] = [
		["review of a login", "`handleLogin` (src/auth.ts:88) logs `req.body.password` in plain text. Hash it with `argon2.hash(password)` first."],
		["review of a key", "The `apiKey` is read in `loadConfig()` and passed as `options.apiKey` to `createClient({ apiKey, baseUrl })`."],
		["review of a cache", "Cache key: `user:${id}:perm:v3`. The key is not invalidated when the token is refreshed."],
		["patch", "-  const token = req.headers['x-token'];\n+  const token = req.get('x-token') ?? req.cookies.token;"],
		["patch of a test", "+    expect(res.body).toEqual({ error: 'invalid_token', error_description: 'expired' });"],
		["migration", "ALTER TABLE users ADD COLUMN password_reset_token_hash bytea, ADD COLUMN token_version integer DEFAULT 0;"],
		["orm", "@Column({ name: 'password_hash', select: false }) passwordHash!: string;"],
		["orm query", "User.where(reset_token: params[:token]).where('token_expires_at > ?', Time.current).first"],
		["prisma", "model Session {\n  id           String @id\n  sessionToken String @unique\n  accessToken  String? @db.Text\n}"],
		["drizzle", "export const tokens = pgTable('tokens', { key: varchar('key', { length: 64 }).primaryKey() });"],
		["rust trait", "fn api_key(&self) -> Option<&SecretString> { self.api_key.as_ref().filter(|k| !k.expose_secret().is_empty()) }"],
		["rust error", '#[error("token expired at {0}")] TokenExpired(DateTime<Utc>),'],
		["go interface", "type TokenSource interface { Token(ctx context.Context) (*oauth2.Token, error) }"],
		["go test table", '{name: "empty password", password: "", wantErr: ErrPasswordTooShort},'],
		["java lambda", ".map(token -> tokenService.parse(token)).orElseThrow(() -> new InvalidTokenException(\"token\"));"],
		["spring security", 'http.authorizeHttpRequests(a -> a.requestMatchers("/api/token/**", "/password/reset").permitAll());'],
		["kotlin", "private val tokenProvider: () -> String? = { prefs.getString(KEY_ACCESS_TOKEN, null) }"],
		["swift keychain", "let query: [String: Any] = [kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account]"],
		["c#", "services.Configure<JwtOptions>(builder.Configuration.GetSection(\"Jwt\")); var key = options.Value.SigningKey;"],
		["php", "#[Assert\\Length(min: 12)] private ?string $plainPassword = null;"],
		["elixir", "def authenticate(%User{} = user, password), do: Argon2.verify_pass(password, user.password_hash)"],
		["haskell", "newtype ApiKey = ApiKey { unApiKey :: Text } deriving newtype (Eq, FromJSON)"],
		["ocaml", "let rec next_token lexbuf = match token lexbuf with EOF -> None | t -> Some t"],
		["bison", "%token <str> IDENT STRING\n%token KEYWORD_PASSWORD"],
		["antlr", "PASSWORD : 'PASSWORD' ; KEY : 'KEY' ; tokens { INDENT, DEDENT }"],
		["tokenizer", '"special_tokens_map": {"eos_token": "<|endoftext|>", "pad_token": "[PAD]", "unk_token": "<unk>"}'],
		["vocabulary", '{"id": 50256, "content": "<|endoftext|>", "single_word": false, "special": true}'],
		["usage", '"usage": {"input_tokens": 2095, "output_tokens": 503, "cache_creation_input_tokens": 0}'],
		["price table", "| Model | Input tokens | Output tokens |\n|---|---|---|\n| small | $0.15 / 1M | $0.60 / 1M |"],
		["terraform doc", '- `admin_password` - (Optional) The password of the administrator. Conflicts with `admin_ssh_key`.'],
		["helm doc", "| auth.existingSecret | string | `\"\"` | Name of a Secret with the key `password` |"],
		["kubectl get", "NAME                  TYPE                DATA   AGE\ndb-credentials-v2     Opaque              3      41d\nregistry-token-x9k2   kubernetes.io/tls   2      12d"],
		["csi", "secretProviderClass: shop-db\nobjects: |\n  - objectName: db-password\n    objectType: secret"],
		["external secret", "data:\n  - secretKey: password\n    remoteRef: { key: prod/shop/db, property: password }"],
		["compose file", "secrets:\n  db_password:\n    file: ./secrets/db_password.txt"],
		["github action", "with:\n  token: ${{ steps.app.outputs.token }}\n  password: ${{ secrets.GITHUB_TOKEN }}"],
		["env check", 'test -n "$NPM_TOKEN" || { echo "NPM_TOKEN missing"; exit 1; }'],
		["env list", "Required: DATABASE_URL, JWT_SECRET, STRIPE_SECRET_KEY, SENTRY_DSN (see docs/deploy.md)"],
		["env template", "JWT_SECRET=<generate with: openssl rand -hex 32>\nDB_PASSWORD=${DB_PASSWORD}\nAPI_KEY=REPLACE_ME"],
		["openssl", "openssl rand -base64 32 | tr -d '\\n' > secret.key && chmod 600 secret.key"],
		["jest snapshot", `exports[\`login 1\`] = \`\n<input\n  autocomplete="current-password"\n  id="password-${r.pick(DIGIT, 3)}"\n/>\n\`;`],
		["css", "[data-token='comment'] { color: #6a737d } .password-strength--weak { width: 33% }"],
		["bundle", `<link rel="modulepreload" href="/assets/auth-token-${an(8)}.js" integrity="sha384-${b64(64)}">`],
		["webpack stats", `asset token.${hex(20)}.chunk.js 12.4 KiB [emitted] [immutable] (id hint: auth)`],
		["buildx", `#12 [build 4/9] COPY --from=deps@sha256:${hex(64)} /app/secrets.example .`],
		["npm audit", "jsonwebtoken  <=8.5.1\nSeverity: moderate\njsonwebtoken has insecure default key - https://github.com/advisories/GHSA-hjrf-2m68-5959"],
		["cve", "CVE-2024-21626, GHSA-xr7r-f8xq-vfvv: leaked fd; CWE-798: Use of Hard-coded Credentials"],
		["bisect", `${hex(40)} is the first bad commit\ncommit ${hex(40)}\n    Rename secret to credential`],
		["patch id", `From ${hex(40)} Mon Sep 17 00:00:00 2001\nSubject: [PATCH] auth: drop password cache\nindex ${hex(10)}..${hex(10)} 100644`],
		["s3 listing", `2025-01-02 03:04:05   1048576 backups/db-password-rotation-${uuid(r)}.tar.gz`],
		["arn list", `arn:aws:kms:eu-west-1:123456789012:key/${uuid(r)} (alias/token-signing)`],
		["azure ids", `tenant ${uuid(r)}, client id ${uuid(r)}, subscription ${uuid(r)}`],
		["service worker", `{url:"/index.html",revision:"${hex(32)}"},{url:"/login.js",revision:null}`],
		["pdf object", `trailer << /ID [<${hex(32).toUpperCase()}> <${hex(32).toUpperCase()}>] /Encrypt null >>`],
		["certificate", `Serial Number:\n    ${hex(32).replace(/..(?!$)/g, "$&:")}\nSubject Key Identifier: ${hex(40)}`],
		["pem in a listing", `1\t-----BEGIN CERTIFICATE-----\n${lines(b64(128), 64).replace(/^/gm, "2\t")}`],
		["spanish i18n", '"login.password": "Contraseña", "login.forgot": "¿Olvidó su contraseña?", "token.expired": "El token ha caducado"'],
		["french i18n", "password: 'Mot de passe oublié', secret: 'Réponse secrète', key: 'Clé d’accès'"],
		["chinese i18n", '"password": "请输入密码", "confirmPassword": "确认密码", "apiKey": "访问密钥"'],
		["prose about flags", "Pass `--token-file` instead of `--token`, so that the token is not in `ps`; `-p` prompts for the password."],
		["prose about headers", "Send `Authorization: Bearer <token>` or `X-Api-Key: <key>`; a cookie named `sid` works, too."],
		["scim", 'paths:\n  "/Users/search":\n    get:\n      summary: Find users\n  "/home/feed":'],
	];
	return entries.map(([name, text]) => ({ name, text }));
}
