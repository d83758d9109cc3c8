import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/collect/redact/redactor.ts";

const { redact, redactValue } = createRedactor({ secrets: [], homeDir: "/home/al" });
const WORDS = "legal winner thank year wave sausage worth useful legal winner thank yellow";
const LONG_WORDS = `${WORDS} ${WORDS}`;
const ID = "0b6e3c1e-5d0f-4a8e-9f57-2f6c1d3e4a5b";

describe("secrets beside words that were not known before", () => {
	it.each([
		["redis.conf", "port 6379\nrequirepass tr0ub4dor&3\nbind ::1", "tr0ub4dor&3", "bind ::1"],
		["a replica in redis.conf", "masterauth tr0ub4dor&3", "tr0ub4dor&3", "masterauth"],
		["redis-server", "redis-server --requirepass tr0ub4dor3 --port 1", "tr0ub4dor3", "--port 1"],
		["sudo with a string", 'sudo -S <<< "tr0ub4dor3"', "tr0ub4dor3", "sudo -S <<<"],
		["sudo with a command", "sudo -S docker ps <<< tr0ub4dor3", "tr0ub4dor3", "docker ps"],
		["German", "Benutzer: al\nPasswort: tr0ub4dor3", "tr0ub4dor3", "Passwort:"],
		["German, another word", "Kennwort: tr0ub4dor3", "tr0ub4dor3", "Kennwort:"],
		["German, as data", '{"passwort":"swordfish"}', "swordfish", '{"passwort":'],
		["Spanish", "Contraseña: tr0ub4dor3", "tr0ub4dor3", "Contraseña:"],
		["Spanish, as data", '{"contraseña":"swordfish"}', "swordfish", "contraseña"],
		["Spanish, without the sign", "contrasena=tr0ub4dor3", "tr0ub4dor3", "contrasena="],
		["French", "Mot de passe : tr0ub4dor3", "tr0ub4dor3", "Mot de passe"],
		["French, as a name", 'mot_de_passe = "swordfish"', "swordfish", "mot_de_passe"],
		["Portuguese", "Senha: tr0ub4dor3", "tr0ub4dor3", "Senha:"],
		["a seed phrase", `Seed phrase: ${WORDS}`, WORDS, "Seed phrase:"],
		["a seed phrase of 24 words", `recovery phrase = "${LONG_WORDS}"`, LONG_WORDS, "recovery phrase"],
		["a mnemonic", `MNEMONIC=${WORDS}\nNEXT=1`, WORDS, "NEXT=1"],
		["a mnemonic in prose", `Its mnemonic is ${WORDS}.`, WORDS, "Its mnemonic is"],
		["net use, user last", "net use Z: \\\\srv\\share Summer2024x /user:al", "Summer2024x", "/user:al"],
		["net use, user first", "net use \\\\srv\\share /user:dom\\al Summer2024x", "Summer2024x", "/user:dom"],
		["Rust", 'const API_KEY: [u8; 16] = *b"q8Zr3vT1xW6yP0sK";', "q8Zr3vT1xW6yP0sK", "const API_KEY"],
		["Rust without a type", 'let api_key = *b"q8Zr3vT1xW6yP0sK";', "q8Zr3vT1xW6yP0sK", "let api_key"],
		["Rust, a slice", 'static SECRET_KEY: &[u8] = b"q8Zr3vT1xW6yP0sK";', "q8Zr3vT1xW6yP0sK", "SECRET_KEY"],
		["SonarQube", `sonar.login=${"9f86d081884c7d65"}9a2feaa0c55ad015a3bf4f1b`, "9a2feaa0c55ad015a3bf", "sonar.login="],
		["Poetry", "poetry config pypi-token.pypi q8Zr3vT1xW6yP0sKq8", "q8Zr3vT1xW6yP0sKq8", "pypi-token.pypi"],
		["Poetry, a repository", "poetry config http-basic.own al tr0ub4dor3", "tr0ub4dor3", "http-basic.own al"],
	])("are masked: %s", (_name, text, secret, keep) => {
		const output = redact(text);
		expect(output).not.toContain(secret);
		expect(output).not.toContain(secret.slice(-6));
		expect(output).toContain(keep);
		expect(redact(output)).toBe(output);
	});

	it("are masked under their names in data", () => {
		const data = { Passwort: "swordfish", contraseña: "swordfish", "mot de passe": "swordfish", senha: "swordfish" };
		expect(Object.values(redactValue(data))).toEqual(Array(4).fill("[redacted:password]"));
	});
});

describe("what resembles them", () => {
	it.each([
		"Set requirepass in redis.conf, or the requirepass directive is missing.",
		"# requirepass <password>",
		"sudo -S reads the password from standard input",
		"sudo -S <<< $PASSWORD",
		"Passwort: erforderlich",
		"Das Passwort ist falsch. Passwort vergessen?",
		"Mot de passe : obligatoire",
		"Il passe à la ligne: 12 fois",
		"La contraseña es obligatoria",
		"Contraseña: ********",
		"A seed phrase: the words from which your wallet can always again come back when lost and gone",
		"Recovery phrase: write down these twelve words and keep them safe from other people forever",
		"The mnemonic is easy to remember.",
		"net use Z: \\\\srv\\share /persistent:yes",
		"net use Z: \\\\srv\\share /user:al *",
		'let greeting: [u8; 5] = *b"hello";',
		"sonar.login=$SONAR_TOKEN",
		"sonar.login=",
		"poetry config pypi-token.pypi $TOKEN",
		"poetry config virtualenvs.in-project true",
	])("stays: %s", (text) => {
		expect(redact(text)).toBe(text);
	});
});

describe("the id of a child session", () => {
	it.each([`{"sessionKey":"${ID}"}`, `sessionKey: ${ID}`, `{"childSessionKey":"${ID}"}`, `childSessionKey=${ID}`])(
		"stays under the name of its key: %s",
		(text) => {
			expect(redact(text)).toBe(text);
		},
	);

	it("stays in data", () => {
		const data = { sessionKey: ID, list: [{ childSessionKey: ID }] };
		expect(redactValue(data)).toEqual(data);
	});

	it.each([`{"apiKey":"${ID}"}`, `session_key=${ID}`, '{"sessionKey":"q8Zr3vT1xW6yP0sKq8"}', `sessionToken=${ID}`])(
		"is masked under another name, and so is another value: %s",
		(text) => {
			expect(redact(text)).not.toBe(text);
		},
	);
});
