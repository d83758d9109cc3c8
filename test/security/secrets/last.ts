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

/** Written after all patterns, and held against them before anything was changed: what to expect of other secrets. */
export function lastInContext(seed = 1601): Sample[] {
	const r = seeded(seed);
	const an = (length: number): string => r.pick(ALNUM, length);
	const hex = (length: number): string => r.pick(HEX, length);
	const plain = (): string => `${r.pick(LOWER, 6)}${r.pick(DIGIT, 3)}`;
	const strong = (): string => `${an(4)}!${r.pick(DIGIT, 2)}${an(4)}`;
	// biome-ignore format: one sample a line.
	return filled([
		["traefik basic auth", `$apr1$${an(8)}$${an(22)}`, '- "traefik.http.middlewares.a.basicauth.users=al:§"', "middlewares"],
		["caddy", `$2a$14$${an(53)}`, "basicauth {\n  al §\n}", "basicauth"],
		["nginx header", an(40), 'proxy_set_header X-Api-Key "§";', "proxy_set_header"],
		["haproxy", plain(), "user al insecure-password §\n", "user al"],
		["consul template", strong(), 'vault {\n  token = "§"\n}', "vault {"],
		["fluentd", plain(), "<match **>\n  host x\n  user al\n  password §\n</match>", "host x"],
		["logstash", strong(), 'elasticsearch { hosts => ["x"] user => "al" password => "§" }', 'user => "al"'],
		["telegraf", an(88), '[[outputs.influxdb_v2]]\n  token = "§"\n  bucket = "b"', 'bucket = "b"'],
		["airflow uri", plain(), "AIRFLOW__CORE__SQL_ALCHEMY_CONN=postgresql://af:§@db/af", "@db/af"],
		["airflow fernet", `${r.pick(BASE64URL, 43)}=`, "AIRFLOW__CORE__FERNET_KEY=§\n", "FERNET_KEY"],
		["superset", an(42), "SECRET_KEY = '§'\nSQLALCHEMY_ECHO = False", "SQLALCHEMY_ECHO"],
		["metabase", plain(), "MB_DB_PASS=§\nMB_DB_HOST=x", "MB_DB_HOST=x"],
		["keycloak", strong(), "KC_BOOTSTRAP_ADMIN_PASSWORD=§ bin/kc.sh start", "bin/kc.sh"],
		["keycloak realm", an(32), '"clientId": "x", "secret": "§", "enabled": true', '"enabled": true'],
		["minio", plain(), "MINIO_ROOT_USER=al\nMINIO_ROOT_PASSWORD=§", "MINIO_ROOT_USER=al"],
		["mc alias", r.pick(BASE64, 40), "mc alias set s3 https://x AKIAX §", "mc alias set"],
		["gitlab.rb", strong(), "gitlab_rails['initial_root_password'] = \"§\"", "gitlab_rails"],
		["nextcloud", plain(), "'dbuser' => 'nc',\n'dbpassword' => '§',", "'dbuser'"],
		["ghost", strong(), '"connection": {"host": "x", "user": "al", "password": "§"}', '"user": "al"'],
		["discourse", plain(), "DISCOURSE_SMTP_PASSWORD: §\n", "DISCOURSE_SMTP"],
		["vaultwarden", an(48), "ADMIN_TOKEN=§\nDOMAIN=https://x", "DOMAIN"],
		["cloudflared", an(60), "cloudflared tunnel run --token §", "tunnel run"],
		["tailscale up", an(40), "tailscale up --authkey=§ --hostname x", "--hostname x"],
		["k3s", `K10${hex(64)}::server:${hex(32)}`, "K3S_TOKEN=§ sh -", "sh -"],
		["kubeadm", `${r.pick(LOWER, 6)}.${r.pick(`${LOWER}${DIGIT}`, 16)}`, "kubeadm join h:6443 --token § --discovery-token-unsafe-skip-ca-verification", "kubeadm join"],
		["etcdctl", strong(), "etcdctl --user root:§ get /", "get /"],
		["velero", r.pick(BASE64, 40), "[default]\naws_access_key_id=x\naws_secret_access_key=§", "aws_access_key_id=x"],
		["sops env", an(40), "api:\n    token: §\n    url: https://x", "url: https://x"],
		["dbt profiles", plain(), "outputs:\n  dev:\n    type: postgres\n    user: al\n    pass: §\n    port: 5432", "port: 5432"],
		["snowsql", strong(), "snowsql -a acc -u al --password '§'", "-u al"],
		["beeline", plain(), "beeline -u jdbc:hive2://h:10000 -n al -p §", "-n al"],
		["sqoop", plain(), "sqoop import --connect jdbc:x --username al --password § --table t", "--table t"],
		["kafka cat", strong(), "kcat -b h -X sasl.username=al -X sasl.password=§ -L", "-L"],
		["mosquitto_pub", plain(), "mosquitto_pub -h x -u al -P § -t a -m b", "-t a"],
		["influx v1", plain(), "influx -username al -password § -execute 'show databases'", "-username al"],
		["neo4j", plain(), "NEO4J_AUTH=neo4j/§\n", "NEO4J_AUTH"],
		["couchdb", plain(), "curl -X PUT http://admin:§@127.0.0.1:5984/db", "@127.0.0.1:5984"],
		["ftp script", plain(), "open ftp.x.org\nuser al §\nput a", "put a"],
		["git askpass", an(40), "GIT_ASKPASS=x GIT_PASSWORD=§ git push", "git push"],
		["subversion", plain(), "svn co --username al --password § https://x", "https://x"],
		["gradle wrapper", plain(), "systemProp.gradle.wrapperPassword=§\n", "wrapperPassword"],
		["sbt", plain(), 'credentials += Credentials("Realm", "h", "al", "§")', "credentials +="],
		["ivy", plain(), '<credentials host="h" realm="r" username="al" passwd="§"/>', 'username="al"'],
		["cargo env", an(32), "CARGO_REGISTRY_TOKEN=§ cargo publish", "cargo publish"],
		["fastlane", plain(), "FASTLANE_PASSWORD=§ fastlane beta", "fastlane beta"],
		["match", strong(), 'match_password("§")', "match_password("],
		["android key", plain(), "storePassword=§\nkeyAlias=k", "keyAlias=k"],
		["expo", an(40), "EXPO_TOKEN=§ npx eas build", "npx eas build"],
		["c sprintf", plain(), 'PQconnectdb("host=x user=al password=§");', "PQconnectdb"],
		["go dsn", plain(), 'sql.Open("mysql", "root:§@tcp(127.0.0.1:3306)/db")', "@tcp("],
		["python dsn", plain(), 'DATABASES = {"default": env.db(default="postgres://al:§@db/x")}', "@db/x"],
		["typeorm", strong(), "type: 'postgres',\nusername: 'al',\npassword: '§',\nsynchronize: true", "synchronize: true"],
		["prisma", plain(), 'DATABASE_URL="postgresql://al:§@localhost:5432/x?schema=public"', "schema=public"],
		["graphql header", an(40), '{"Authorization": "JWT §"}', "Authorization"],
		["hasura secret", plain(), "x-hasura-admin-secret: §", "x-hasura-admin-secret"],
		["twilio curl", hex(32), "curl -X POST https://x -u ACx:§", "-X POST"],
		["postman env", an(36), '{"key": "api_token", "value": "§", "type": "secret"}', '"type": "secret"'],
		["insomnia", strong(), '"authentication": {"type": "basic", "username": "al", "password": "§"}', '"username": "al"'],
		["http file", an(40), "GET https://x\nAuthorization: Bearer §\n\n###", "###"],
		["chat", strong(), "al: the db password is §\nbo: thanks", "bo: thanks"],
		["readme", plain(), "Login with user `al` and password `§`.", "user `al`"],
	]);
}

export function lastBareTokens(seed = 1701): Sample[] {
	const r = seeded(seed);
	const an = (length: number): string => r.pick(ALNUM, length);
	const hex = (length: number): string => r.pick(HEX, length);
	return bare([
		["github fine-grained", `github_pat_${an(22)}_${an(59)}`],
		["gitlab personal", `glpat-${r.pick(BASE64URL, 20)}`],
		["slack bot", `xoxb-${r.pick(DIGIT, 11)}-${r.pick(DIGIT, 12)}-${an(24)}`],
		["aws id", `ASIA${r.pick(`${UPPER}234567`, 16)}`],
		["sendgrid", `SG.${r.pick(BASE64URL, 22)}.${r.pick(BASE64URL, 43)}`],
		["openai project", `sk-proj-${r.pick(BASE64URL, 74)}T3BlbkFJ${r.pick(BASE64URL, 74)}`],
		["doppler personal", `dp.pt.${an(43)}`],
		["atlassian", `ATATT3xFfGF0${r.pick(BASE64URL, 180)}=${hex(8).toUpperCase()}`],
		["digitalocean refresh", `dor_v1_${hex(64)}`],
		["mailchimp", `${hex(32)}-us12`],
		["square", `sq0atp-${r.pick(BASE64URL, 22)}`],
		["airtable", `pat${an(14)}.${hex(64)}`],
		["hashicorp batch", `hvb.${r.pick(BASE64URL, 140)}`],
		["intercom", `dG9rO${r.pick(BASE64, 54)}=`],
		["linear webhook", `lin_wh_${an(40)}`],
		["databricks", `dapi${hex(32)}-2`],
		["unlisted api", `quartz_api_${an(32)}`],
		["unlisted production", `plover_production_${uuid(r)}`],
		["unlisted base64url", `zorblat_${r.pick(BASE64URL, 48)}`],
		["unlisted token", `kestrel-token-${an(26)}`],
		["unlisted upper", `VIREO_SECRET_${r.pick(UPPER + DIGIT, 32)}`],
		["unlisted short", `wren_${an(24)}`],
		["unlisted hex", `finch_${hex(40)}`],
		["unlisted key hex", `finch_key_${hex(40)}`],
		["unlisted dotted", `siskin.v1.${an(40)}`],
	]);
}

export function lastKeyBlocks(seed = 1801): Sample[] {
	const r = seeded(seed);
	const block = (name: string, label: string, write: (pem: string[]) => string): Sample => {
		const body = lines(r.pick(BASE64, 1_200), 64).split("\n");
		return {
			name,
			secret: body.join(""),
			text: write([`-----BEGIN ${label}-----`, ...body, `-----END ${label}-----`]),
		};
	};
	return [
		block("in a shell script", "OPENSSH PRIVATE KEY", (p) => `cat > k <<'EOF'\n${p.join("\n")}\nEOF`),
		block("in a properties file", "PRIVATE KEY", (p) => `key=${p.join("\\\n  ")}`),
		block("in csv", "RSA PRIVATE KEY", (p) => `1,"${p.join("\n")}",x`),
		block("in bat output", "EC PRIVATE KEY", (p) =>
			p.map((l, at) => `${String(at + 1).padStart(4)}   │ ${l}`).join("\n"),
		),
		block("in kubectl logs", "PRIVATE KEY", (p) => p.map((l) => `[pod/x-1 app] ${l}`).join("\n")),
		block("in a go literal", "RSA PRIVATE KEY", (p) => `const key = \`${p.join("\n")}\``),
	];
}

export function lastLookAlikes(seed = 1901): LookAlike[] {
	const r = seeded(seed);
	const hex = (length: number): string => r.pick(HEX, length);
	const an = (length: number): string => r.pick(ALNUM, length);
	// biome-ignore format: one sample a line.
	const entries: [name: string, text: string][] = [
		["csv of ids", `id,token_count,model\n1,1523,gpt\n2,${r.pick(DIGIT, 4)},x`],
		["table of settings", "| Setting | Password |\n|---|---|\n| length | required |\n| reset | optional |"],
		["table of fields", "| name | secret | type |\n|---|---|---|\n| user | no | string |\n| pw | yes | string |"],
		["config map", "kind: ConfigMap\ndata:\n  color: blue-green-2024\n  mode: standard12"],
		["config map beside a secret", "kind: ConfigMap\ndata:\n  region: eu-central-1a\n---\nkind: Secret\nmetadata:\n  name: x"],
		["insert without", "INSERT INTO users (id, name, email) VALUES (1, 'al2024xx', 'al@example.org');"],
		["primary key value", `primary_key: order_id_2024\nkey: ArrowUp`],
		["i18n key", '{ key: "settings.security.passwordStrength2", label: "Strength" }'],
		["react query key", 'queryKey: ["token-list", userId2], cacheKey: "usersV2List"'],
		["object key", `"Key": "uploads/2024/01/report-final.pdf"`],
		["license header key", "SPDX-License-Identifier: Apache-2.0\nkey features: fast, small"],
		["branch name", `feature/token-refresh-${hex(7)} -> origin/feature/token-refresh-${hex(7)}`],
		["css module", `Login_password__${an(5)} Login_tokenInput__${an(5)}`],
		["kubernetes name", `secret-reader-${r.pick(`${LOWER}${DIGIT}`, 10)}-${r.pick(LOWER, 5)} Running`],
		["test ids", 'data-testid="password-input-2" data-key="row-12345678"'],
		["jwt docs", 'jwt.verify(token, publicKey, { algorithms: ["RS256"] })'],
		["hmac docs", 'crypto.createHmac("sha256", secret).update(body).digest("hex")'],
		["docker secret docs", "docker secret create db_password ./password.txt"],
		["net docs", "net user shows accounts; net user al /delete removes one"],
		["echo docs", 'echo "$TOKEN" | docker login --password-stdin'],
		["accounts", "accounts: [process.env.PRIVATE_KEY]"],
		["auth word", "AUTH required\nAUTH mechanism LOGIN is not supported"],
		["signature docs", "X-Hub-Signature-256: sha256=<hex digest of the body>"],
		["expect docs", 'expect(password).toBe(""); expect(user.password).toBeUndefined();'],
		["fill placeholder", 'page.getByLabel("Password").fill(process.env.PASSWORD)'],
		["dashed prose", "password: use-at-least-12 characters"],
		["password hash column", "password_hash VARCHAR(255), token_expires_at TIMESTAMP"],
		["man line", "token                the token to use (default: none)"],
		["options", "password_min_length 12\npassword_history 5\n"],
		["cypress type", 'cy.get("#password").type(Cypress.env("password"))'],
		["uuid in path", `/api/keys/${uuid(r)}/rotate`],
		["live id", `livestream_${uuid(r)} prod-cluster-eu-2`],
		["upper hash", `ETag W/"${hex(32).toUpperCase()}" key`],
		["go checksum db", `sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8`],
		["base58 cid", `bafybei${r.pick(`${LOWER}234567`, 52)}`],
		["playlist", `PLrAXtmErZgOeiKm4sgNOknGvNjby9efdf`],
		["storybook id", "Key combinations: Ctrl+K, Ctrl+Shift+P; Key: F12"],
		["mixed prose", "The secret was rotated in 2024; tokens issued before are void."],
		["yaml anchors", "x-common: &common2024\n  restart: always\nservice:\n  <<: *common2024"],
		["email login", "Login as admin@example.org, password reset link sent"],
	];
	return entries.map(([name, text]) => ({ name, text }));
}
