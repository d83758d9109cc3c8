import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { knownSecrets } from "../../../src/collect/redact/known-secrets.ts";
import { ALNUM, seeded } from "./seeded.ts";

const random = seeded(11);
const value = (): string => random.pick(ALNUM, 24);

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "redact-"));
});
afterEach(() => {
	rmSync(directory, { recursive: true, force: true });
});

function file(name: string, content: unknown): string {
	const path = join(directory, name);
	writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
	return path;
}

describe("secrets of the environment", () => {
	it.each([
		"ANTHROPIC_API_KEY",
		"GITHUB_TOKEN",
		"GH_PAT",
		"CLIENT_SECRET",
		"DB_PASSWORD",
		"PGPASSWORD",
		"MYSQL_PWD",
		"SMTP_PASS",
		"REDIS_PASSWD",
		"APP_CREDENTIALS",
		"BASIC_AUTH",
		"NPM_CONFIG__AUTH",
		"npm_config__authToken",
		"SESSION_COOKIE",
		"SIGNING_PRIVATE_KEY",
		"SENTRY_DSN",
		"AZURE_STORAGE_CONNECTION_STRING",
		"AWS_SECRET_ACCESS_KEY",
		"API_KEY_PROD",
		"SOMETHING_KEY",
	])("%s is a credential", (name) => {
		const secret = value();
		expect(knownSecrets({ env: { [name]: secret } })).toEqual([secret]);
	});

	it.each([
		["SSH_AUTH_SOCK", "/tmp/ssh-1/agent.12"],
		["TLS_KEY_FILE", "/etc/ssl/private/server-2024.pem"],
		["PRIVATE_KEY_PATH", "C:\\keys\\id_rsa_2024"],
		["KEYBOARD_LAYOUT", "us-intl-2024"],
		["GIT_AUTHOR_NAME", "Al Example 2024"],
		["GIT_AUTHOR_EMAIL", "al.example@example.org"],
		["PWD", "/work/project-2024"],
		["OLDPWD", "/work/project-2023"],
		["TOKENIZERS_PARALLELISM", "false"],
		["MAX_TOKENS", "1000000000"],
		["AUTH_MODE", "client-certificates"],
		["AUTH_URL", "https://login.example.org/v2/token"],
		["API_KEY", "changeme"],
		["API_KEY", "short1"],
		["DB_PASSWORD", "swordfish"],
		["PATH", "/usr/local/bin:/usr/bin"],
		["NEXT_PUBLIC_KEY_ID_NAME", "something-or-other-1"],
	])("%s=%s is none", (name, text) => {
		expect(knownSecrets({ env: { [name]: text, EMPTY_TOKEN: undefined } })).toEqual([]);
	});

	it("takes the password of a URL and of a connection string, whatever the variable is called", () => {
		const [first, second, third] = [value(), value(), value()];
		const env = {
			DATABASE: `postgres://app:${first}@db:5432/app`,
			HTTPS_PROXY: `http://al:${second}%21@proxy:8080`,
			ADO: `Server=db;Password=${third};Encrypt=True`,
			PLAIN: "https://example.org/path@v1",
		};
		expect(knownSecrets({ env })).toEqual([first, `${second}%21`, `${second}!`, third]);
	});
});

describe("secrets of pi's files", () => {
	it("takes every string of a stored credential but its type", () => {
		const [key, access, refresh, fromEnv, own] = [value(), value(), value(), value(), value()];
		const authFile = file("auth.json", {
			anthropic: { type: "oauth", access, refresh, expires: 1_900_000_000_000, email: "al@example.org" },
			openai: { type: "api_key", key },
			groq: { type: "api_key", key: "$GROQ_SOURCE" },
			xai: { type: "api_key", key: `$${"{XAI_SOURCE}"}`, env: { XAI_SOURCE: own, REGION: "eu" } },
			local: { type: "api_key", key: "!pass show key-12345678" },
		});
		expect(knownSecrets({ env: { GROQ_SOURCE: fromEnv }, authFile }).sort()).toEqual(
			[key, access, refresh, fromEnv, own].sort(),
		);
	});

	it("takes keys and telling headers of the models file, which may have comments", () => {
		const [key, header, token, modelToken] = [value(), value(), value(), value()];
		const modelsFile = file(
			"models.json",
			`// mine\n{"providers": {"a": {"baseUrl": "https://a.example.org//v1", "apiKey": "${key}", /* x */
			"headers": {"X-Api-Key": "${header}", "User-Agent": "my-client/1.2.3", "Authorization": "Bearer \${TOKEN_SOURCE}"},
			"models": [{"id": "m-2024", "headers": {"x-auth": "${modelToken}"}},]},
			"b": {"apiKey": "ollama"}, "c": {"apiKey": "!echo ${value()}"}}}`,
		);
		expect(knownSecrets({ env: { TOKEN_SOURCE: token }, modelsFile }).sort()).toEqual(
			[key, header, `Bearer ${token}`, token, modelToken].sort(),
		);
	});

	it.each(["", "{", "null", "[]", "42", '{"a": null, "b": [1], "c": "x"}', "\u0000\u0001"])(
		"reads %j without a throw",
		(content) => {
			const broken = file("broken.json", content);
			expect(knownSecrets({ env: {}, authFile: broken, modelsFile: broken })).toEqual([]);
		},
	);

	it("takes a missing file, and a directory, for one without secrets", () => {
		expect(knownSecrets({ env: {}, authFile: join(directory, "none.json"), modelsFile: directory })).toEqual([]);
	});
});
