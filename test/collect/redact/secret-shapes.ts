import { ALNUM, BASE64, BASE64URL, DIGIT, HEX, LOWER, lines, type Seeded, seeded, UPPER, uuid } from "./seeded.ts";

export interface SecretShape {
	name: string;
	text: string;
	/** Must not be in the output, and neither may any 12 characters of it. */
	secret: string;
	/** Must still be in the output. */
	keep?: string;
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token of a vendor's published format, in the sentence where an agent would quote it. */
function tokens(r: Seeded): SecretShape[] {
	const token = (name: string, secret: string): SecretShape => ({
		name,
		secret,
		text: `The value is ${secret} and nothing else.`,
		keep: "and nothing else.",
	});
	return [
		token("github classic", `ghp_${r.pick(ALNUM, 36)}`),
		token("github oauth", `gho_${r.pick(ALNUM, 36)}`),
		token("github user-to-server", `ghu_${r.pick(ALNUM, 36)}`),
		token("github server-to-server", `ghs_${r.pick(ALNUM, 36)}`),
		token("github refresh", `ghr_${r.pick(ALNUM, 76)}`),
		token("github fine-grained", `github_pat_${r.pick(ALNUM, 22)}_${r.pick(ALNUM, 59)}`),
		token("gitlab personal", `glpat-${r.pick(BASE64URL, 20)}`),
		token("gitlab routable", `glpat-${r.pick(BASE64URL, 27)}.01.${r.pick(LOWER + DIGIT, 9)}`),
		token("gitlab runner", `glrt-${r.pick(BASE64URL, 20)}`),
		token("slack bot", `xoxb-${r.pick(DIGIT, 12)}-${r.pick(DIGIT, 13)}-${r.pick(ALNUM, 24)}`),
		token("slack user", `xoxp-${r.pick(DIGIT, 11)}-${r.pick(DIGIT, 11)}-${r.pick(DIGIT, 12)}-${r.pick(HEX, 32)}`),
		token("slack app", `xapp-1-${r.pick(UPPER + DIGIT, 11)}-${r.pick(DIGIT, 13)}-${r.pick(HEX, 64)}`),
		token("slack refresh", `xoxe-1-${r.pick(ALNUM, 146)}`),
		token("stripe secret", `sk_live_${r.pick(ALNUM, 24)}`),
		token("stripe test", `sk_test_51${r.pick(ALNUM, 97)}`),
		token("stripe restricted", `rk_live_${r.pick(ALNUM, 99)}`),
		token("stripe webhook", `whsec_${r.pick(ALNUM, 32)}`),
		token("openai legacy", `sk-${r.pick(ALNUM, 20)}T3BlbkFJ${r.pick(ALNUM, 20)}`),
		token("openai project", `sk-proj-${r.pick(BASE64URL, 74)}T3BlbkFJ${r.pick(BASE64URL, 74)}`),
		token("openai service", `sk-svcacct-${r.pick(BASE64URL, 58)}T3BlbkFJ${r.pick(BASE64URL, 58)}`),
		token("anthropic", `sk-ant-api03-${r.pick(BASE64URL, 93)}AA`),
		token("anthropic oauth", `sk-ant-oat01-${r.pick(BASE64URL, 93)}AA`),
		token("openrouter", `sk-or-v1-${r.pick(HEX, 64)}`),
		token("google api", `AIza${r.pick(BASE64URL, 35)}`),
		token("google oauth access", `ya29.a0${r.pick(BASE64URL, 120)}`),
		token("google client secret", `GOCSPX-${r.pick(BASE64URL, 28)}`),
		token("google refresh", `1//0${r.pick(BASE64URL, 98)}`),
		token("hugging face", `hf_${r.pick(LOWER + UPPER, 34)}`),
		token("npm", `npm_${r.pick(ALNUM, 36)}`),
		token("pypi", `pypi-AgEIcHlwaS5vcmc${r.pick(BASE64URL, 150)}`),
		token("rubygems", `rubygems_${r.pick(HEX, 48)}`),
		token("sendgrid", `SG.${r.pick(BASE64URL, 22)}.${r.pick(BASE64URL, 43)}`),
		token("twilio api key", `SK${r.pick(HEX, 32)}`),
		token("twilio account", `AC${r.pick(HEX, 32)}`),
		token("mailgun", `key-${r.pick(HEX, 32)}`),
		token("mailchimp", `${r.pick(HEX, 32)}-us${r.pick(DIGIT, 2)}`),
		token("brevo", `xkeysib-${r.pick(HEX, 64)}-${r.pick(ALNUM, 16)}`),
		token("digitalocean", `dop_v1_${r.pick(HEX, 64)}`),
		token("aws key id", `AKIA${r.pick(`${UPPER}234567`, 16)}`),
		token("aws session key id", `ASIA${r.pick(`${UPPER}234567`, 16)}`),
		token("aws bedrock", `ABSK${r.pick(BASE64, 128)}=`),
		token("alibaba key id", `LTAI5t${r.pick(ALNUM, 18)}`),
		token("azure ad client secret", `${r.pick(ALNUM, 3)}8Q~${r.pick(ALNUM, 34)}`),
		token("tavily", `tvly-${r.pick(ALNUM, 32)}`),
		token("tavily dev", `tvly-dev-${r.pick(ALNUM, 32)}`),
		token("tavily dev, parted", `tvly-dev-${r.pick(ALNUM, 6)}-${r.pick(ALNUM, 25)}`),
		token("telegram bot", `${r.pick("123456789", 10)}:AA${r.pick(BASE64URL, 33)}`),
		token("discord bot", `M${r.pick(ALNUM, 25)}.${r.pick(BASE64URL, 6)}.${r.pick(BASE64URL, 38)}`),
		token("linear", `lin_api_${r.pick(ALNUM, 40)}`),
		token("notion old", `secret_${r.pick(ALNUM, 43)}`),
		token("notion", `ntn_${r.pick(DIGIT, 11)}${r.pick(ALNUM, 35)}`),
		token("atlassian", `ATATT3xFfGF0${r.pick(BASE64URL, 170)}=${r.pick(HEX.toUpperCase(), 8)}`),
		token("databricks", `dapi${r.pick(HEX, 32)}`),
		token("vault", `hvs.${r.pick(BASE64URL, 95)}`),
		token("terraform cloud", `${r.pick(ALNUM, 14)}.atlasv1.${r.pick(BASE64URL, 67)}`),
		token("age", `AGE-SECRET-KEY-1${r.pick("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)}`),
		token("doppler", `dp.pt.${r.pick(ALNUM, 43)}`),
		token("doppler service", `dp.st.prd.${r.pick(ALNUM, 43)}`),
		token("shopify", `shpat_${r.pick(HEX, 32)}`),
		token("square access", `EAAA${r.pick(BASE64URL, 60)}`),
		token("square secret", `sq0csp-${r.pick(BASE64URL, 43)}`),
		token("groq", `gsk_${r.pick(ALNUM, 52)}`),
		token("xai", `xai-${r.pick(ALNUM, 80)}`),
		token("replicate", `r8_${r.pick(ALNUM, 37)}`),
		token("perplexity", `pplx-${r.pick(ALNUM, 48)}`),
		token("supabase", `sbp_${r.pick(HEX, 40)}`),
		token("supabase secret", `sb_secret_${r.pick(BASE64URL, 31)}`),
		token("vercel blob", `vercel_blob_rw_${r.pick(ALNUM, 16)}_${r.pick(ALNUM, 30)}`),
		token("fly", `FlyV1 fm2_${r.pick(BASE64, 160)}`),
		token("grafana service", `glsa_${r.pick(ALNUM, 32)}_${r.pick(HEX, 8)}`),
		token("sentry user", `sntryu_${r.pick(HEX, 64)}`),
		token("postman", `PMAK-${r.pick(HEX, 24)}-${r.pick(HEX, 34)}`),
		token("planetscale", `pscale_tkn_${r.pick(BASE64URL, 43)}`),
		token("pulumi", `pul-${r.pick(HEX, 40)}`),
		token("new relic", `NRAK-${r.pick(UPPER + DIGIT, 27)}`),
		token("heroku", `HRKU-AA${r.pick(BASE64URL, 58)}`),
		token("docker hub", `dckr_pat_${r.pick(BASE64URL, 27)}`),
		token("dynatrace", `dt0c01.${r.pick(UPPER + DIGIT, 24)}.${r.pick(UPPER + DIGIT, 64)}`),
		token("figma", `figd_${r.pick(BASE64URL, 40)}`),
		token("airtable", `pat${r.pick(ALNUM, 14)}.${r.pick(HEX, 64)}`),
		token(
			"jwt",
			`${base64url({ alg: "HS256", typ: "JWT" })}.${base64url({ sub: r.pick(DIGIT, 10), iat: 1 })}.${r.pick(BASE64URL, 43)}`,
		),
	];
}

function keyBlocks(r: Seeded): SecretShape[] {
	const block = (name: string, label: string): SecretShape => {
		const secret = lines(r.pick(BASE64, 640), 64);
		return {
			name,
			secret,
			text: `cat key\n-----BEGIN ${label}-----\n${secret}\n-----END ${label}-----\ndone`,
			keep: "\ndone",
		};
	};
	const escaped = lines(r.pick(BASE64, 640), 64).replaceAll("\n", "\\n");
	const cut = lines(r.pick(BASE64, 400), 64);
	const putty = lines(r.pick(BASE64, 600), 64);
	const jwk = r.pick(BASE64URL, 43);
	return [
		block("pkcs8", "PRIVATE KEY"),
		block("rsa", "RSA PRIVATE KEY"),
		block("ec", "EC PRIVATE KEY"),
		block("openssh", "OPENSSH PRIVATE KEY"),
		block("encrypted pkcs8", "ENCRYPTED PRIVATE KEY"),
		block("pgp", "PGP PRIVATE KEY BLOCK"),
		{
			name: "service account json",
			secret: escaped,
			text: `{"private_key": "-----BEGIN PRIVATE KEY-----\\n${escaped}\\n-----END PRIVATE KEY-----\\n", "client_id": "1"}`,
			keep: '"client_id": "1"',
		},
		{ name: "key cut off", secret: cut, text: `-----BEGIN RSA PRIVATE KEY-----\n${cut}` },
		{
			name: "putty",
			secret: putty,
			text: `PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 10\n${putty}\nPrivate-MAC: ${r.pick(HEX, 64)}\n`,
			keep: "PuTTY-User-Key-File-3",
		},
		{ name: "jwk", secret: jwk, text: `{"kty":"OKP","crv":"Ed25519","d":"${jwk}","x":"y"}`, keep: '"kty":"OKP"' },
	];
}

function inContext(r: Seeded): SecretShape[] {
	const shape = (name: string, secret: string, text: (secret: string) => string, keep?: string): SecretShape =>
		keep === undefined ? { name, secret, text: text(secret) } : { name, secret, text: text(secret), keep };
	const word = (): string => `${r.pick(LOWER, 5)}${r.pick(DIGIT, 3)}!${r.pick(UPPER, 3)}`;
	const cookie = r.pick(ALNUM, 32);
	return [
		shape("aws secret, ini", r.pick(BASE64, 40), (s) => `aws_secret_access_key = ${s}\n`, "aws_secret_access_key = "),
		shape("aws secret, export", r.pick(BASE64, 40), (s) => `export AWS_SECRET_ACCESS_KEY="${s}"`, "AWS_SECRET"),
		shape(
			"aws session token",
			r.pick(BASE64, 300),
			(s) => `AWS_SESSION_TOKEN=${s}\nAWS_REGION=eu-1`,
			"AWS_REGION=eu-1",
		),
		shape(
			"azure storage",
			`${r.pick(BASE64, 86)}==`,
			(s) => `AccountName=a;AccountKey=${s};EndpointSuffix=x`,
			";Endpoint",
		),
		shape(
			"azure sas",
			`${r.pick(ALNUM, 43)}%3D`,
			(s) => `https://a.blob.core.windows.net/c?sv=2022&sig=${s}&se=1`,
			"&se=1",
		),
		shape(
			"s3 presigned",
			r.pick(HEX, 64),
			(s) => `https://b.s3.amazonaws.com/k?X-Amz-Signature=${s}`,
			"amazonaws.com/k",
		),
		shape("postgres url", word(), (s) => `postgres://app:${s}@db.internal:5432/app`, "@db.internal:5432/app"),
		shape("mongodb url", word(), (s) => `mongodb+srv://app:${s}@cluster0.mongodb.net/x`, "@cluster0.mongodb.net"),
		shape("redis url", word(), (s) => `REDIS_URL=redis://:${s}@cache:6379/0`, "@cache:6379/0"),
		shape("amqp url", word(), (s) => `amqp://guest:${s}@mq:5672/%2f`, "@mq:5672"),
		shape("mysql url with @", `${word()}@${word()}`, (s) => `mysql://root:${s}@127.0.0.1/db`, "@127.0.0.1/db"),
		shape("git url with token", r.pick(HEX, 40), (s) => `https://${s}@git.example.org/a/b.git`, "@git.example.org"),
		shape("jdbc", word(), (s) => `jdbc:postgresql://h/db?user=app&password=${s}&ssl=true`, "&ssl=true"),
		shape("ado connection string", word(), (s) => `Server=db;User Id=sa;Password=${s};Encrypt=True`, ";Encrypt=True"),
		shape("bearer header", r.pick(BASE64URL, 40), (s) => `Authorization: Bearer ${s}\nAccept: */*`, "Bearer "),
		shape("bearer in code", r.pick(ALNUM, 40), (s) => `headers: { Authorization: "Bearer ${s}" }`, '" }'),
		shape("bare bearer", r.pick(ALNUM, 32), (s) => `I sent Bearer ${s} to it`, " to it"),
		shape(
			"basic header",
			Buffer.from(`admin:${r.pick(ALNUM, 12)}`).toString("base64"),
			(s) => `curl -H 'Authorization: Basic ${s}' https://x`,
			"https://x",
		),
		shape("token header", r.pick(HEX, 40), (s) => `authorization: token ${s}`, "authorization: token "),
		shape("apikey header", r.pick(ALNUM, 32), (s) => `Authorization: ApiKey ${s}`, "ApiKey "),
		shape("x-api-key header", r.pick(ALNUM, 32), (s) => `X-Api-Key: ${s}\r\nHost: x`, "Host: x"),
		shape(
			"private-token header",
			r.pick(ALNUM, 20),
			(s) => `curl --header "PRIVATE-TOKEN: ${s}" https://g`,
			"https://g",
		),
		shape("curl user", word(), (s) => `curl -u admin:${s} https://x`, "https://x"),
		shape("cookie", cookie, (s) => `Cookie: theme=dark; sessionid=${s}; lang=en`, "theme=dark"),
		shape("set-cookie", r.pick(BASE64URL, 48), (s) => `Set-Cookie: connect.sid=s%3A${s}; Path=/; HttpOnly`, "HttpOnly"),
		shape(
			"slack webhook",
			`T${r.pick(UPPER, 8)}/B${r.pick(UPPER, 8)}/${r.pick(ALNUM, 24)}`,
			(s) => `https://hooks.slack.com/services/${s}`,
			"hooks.slack.com",
		),
		shape(
			"discord webhook",
			r.pick(BASE64URL, 68),
			(s) => `https://discord.com/api/webhooks/1234567890123/${s}`,
			"discord.com",
		),
		shape("env password", word(), (s) => `DB_HOST=db\nDB_PASSWORD=${s}\nDB_NAME=x`, "DB_NAME=x"),
		shape("env plain-word password", r.pick(LOWER, 10), (s) => `export PGPASSWORD=${s}`, "PGPASSWORD="),
		shape("env password of symbols", `(${word()})&;${word()}`, (s) => `SMTP_PASS=${s}\nA=1`, "\nA=1"),
		shape("json password", word(), (s) => `{"user":"al","password":"${s}","x":1}`, '"x":1'),
		shape("password that begins like a reference", `$${word()}`, (s) => `{"password":"${s}"}`, "password"),
		shape("password that begins like a tag", `<${word()}`, (s) => `password: "${s}"`, "password"),
		shape("password of brackets", `{${word()}[${word()}`, (s) => `"db_password" : "${s}",`, "db_password"),
		shape("json in json", word(), (s) => `{"body":"{\\"password\\":\\"${s}\\",\\"x\\":1}"}`, "x"),
		shape("yaml password", word(), (s) => `db:\n  user: al\n  password: ${s}\n  port: 5432`, "port: 5432"),
		shape("yaml secret", r.pick(ALNUM, 32), (s) => `client_secret: '${s}'`, "client_secret: '"),
		shape("cli flag", word(), (s) => `mytool login --user al --password ${s} --verbose`, "--verbose"),
		shape("cli flag =", r.pick(ALNUM, 24), (s) => `deploy --token=${s} --prod`, "--prod"),
		shape("sshpass", word(), (s) => `sshpass -p '${s}' ssh host`, "ssh host"),
		shape("python assignment", word(), (s) => `PASSWORD = "${s}"  # todo`, "# todo"),
		shape("typed assignment", word(), (s) => `const password: string = "${s}";`, "const password"),
		shape("js object", r.pick(ALNUM, 32), (s) => `createClient({ apiKey: '${s}', region: 'eu' })`, "region: 'eu'"),
		shape("js fallback", word(), (s) => `const secret = process.env.SECRET || "${s}";`, "process.env.SECRET"),
		shape("python default", word(), (s) => `os.environ.get("SECRET_KEY", "${s}")`, "os.environ.get"),
		shape("php define", word(), (s) => `define('DB_PASSWORD', '${s}');`, "define("),
		shape("ruby hash", word(), (s) => `{ :password => "${s}" }`, ":password =>"),
		shape("go assignment", word(), (s) => `password := "${s}"`, "password :="),
		shape("index assignment", word(), (s) => `config["password"] = "${s}"`, 'config["password"]'),
		shape("shell default", word(), (s) => `: "\${DB_PASSWORD:-${s}}"`, "DB_PASSWORD:-"),
		shape("sql", word(), (s) => `CREATE USER app WITH PASSWORD '${s}';`, "CREATE USER app"),
		shape("mysql grant", word(), (s) => `CREATE USER 'a'@'%' IDENTIFIED BY '${s}';`, "IDENTIFIED BY"),
		shape("npmrc", uuid(r), (s) => `//registry.npmjs.org/:_authToken=${s}`, "//registry.npmjs.org/:_authToken="),
		shape("netrc", word(), (s) => `machine api.x.org login al password ${s}`, "login al"),
		shape(
			"docker config",
			Buffer.from(`al:${r.pick(ALNUM, 20)}`).toString("base64"),
			(s) => `{"auths":{"h":{"auth":"${s}"}}}`,
			'"auths"',
		),
		shape("xml", word(), (s) => `<server><password>${s}</password></server>`, "</password>"),
		shape("nuget", word(), (s) => `<add key="ClearTextPassword" value="${s}" />`, "<add key="),
		shape("k8s env", word(), (s) => `- name: DB_PASSWORD\n  value: "${s}"\n- name: X`, "- name: X"),
		shape("spring properties", word(), (s) => `spring.datasource.password=${s}\n`, "spring.datasource.password="),
		shape("terraform", word(), (s) => `  master_password = "${s}"`, "master_password"),
		shape("query access_token", r.pick(ALNUM, 40), (s) => `GET /v1/me?access_token=${s}&fields=id`, "&fields=id"),
		shape("datadog", r.pick(HEX, 32), (s) => `DD_API_KEY=${s}`, "DD_API_KEY="),
		shape("datadog app key", r.pick(HEX, 40), (s) => `dd-application-key: ${s}`, "dd-application-key"),
		shape("cloudflare", r.pick(BASE64URL, 40), (s) => `CLOUDFLARE_API_TOKEN=${s}`, "CLOUDFLARE_API_TOKEN="),
		shape("twilio token", r.pick(HEX, 32), (s) => `TWILIO_AUTH_TOKEN: "${s}"`, "TWILIO_AUTH_TOKEN"),
		shape("vercel", r.pick(ALNUM, 24), (s) => `VERCEL_TOKEN=${s}`, "VERCEL_TOKEN="),
		shape("heroku uuid", uuid(r), (s) => `HEROKU_API_KEY=${s}`, "HEROKU_API_KEY="),
		shape("any *_KEY in env", r.pick(ALNUM, 32), (s) => `ALGOLIA_KEY=${s}`, "ALGOLIA_KEY="),
		shape(
			"wireguard",
			`${r.pick(BASE64, 43)}=`,
			(s) => `[Interface]\nPrivateKey = ${s}\nAddress = 10.0.0.2/32`,
			"10.0.0.2/32",
		),
		shape("rails", r.pick(HEX, 128), (s) => `SECRET_KEY_BASE=${s}`, "SECRET_KEY_BASE="),
		shape("labelled in prose", r.pick(ALNUM, 32), (s) => `**API Key**: \`${s}\` (keep it)`, "(keep it)"),
		shape("escaped newline before", `ghp_${r.pick(ALNUM, 36)}`, (s) => `{"log":"first\\n${s}\\nlast"}`, "last"),
		shape("colour code before", `ghp_${r.pick(ALNUM, 36)}`, (s) => `\u001b[32m${s}\u001b[0m ok`, " ok"),
		shape("url-encoded", `ghp_${r.pick(ALNUM, 36)}`, (s) => `https://x/?next=%2Fa%3Ft%3D${s}`, "https://x/"),
	];
}

export function secretShapes(seed = 1): SecretShape[] {
	const random = seeded(seed);
	return [...tokens(random), ...keyBlocks(random), ...inContext(random)];
}
