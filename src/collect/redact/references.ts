/**
 * Values that say where a secret is, and are not secrets: variables, templates, calls, and references to vaults. A value
 * that only begins with such a sign may be a password.
 */
const FILLED_IN = [
	// A command in a shell, even if its rest was cut off at a blank; an element or a member in Perl and PHP
	String.raw`^\$\(|^\$[A-Za-z_]\w*(?:->|\[|::)`,
	String.raw`^\$(?:\w+|env:\w+|[\w-]+:[\w-]+\.[\w.-]+)$`,
	String.raw`\$\{|\{\{|#\{|<%`,
	// Maven and Jenkins put encrypted values into braces, too: their key is in the same folder.
	String.raw`^\{(?![A-Za-z0-9+/]{24,400}={0,2}\}).*\}$|^\{cipher\}`,
	String.raw`^%\w+%$|^%\(\w+\)s$|^%[({]|^(?:%[sdvq]\W?)+$`,
	// A regular expression
	String.raw`\(\?[:=!<]|\\[sdwSDW][+*{]|\[\^|\]\{\d|\]\+|^/\^`,
	"^<[^<>]*>$|^<[A-Za-z_ -]*$",
	String.raw`^@\w+@$|^\*[\w.]+$`,
	String.raw`^![A-Z][A-Za-z]+$|^!(?:vault|secret|env|ref|sub)\b`,
	String.raw`^(?:process|os|import|secrets?|vars?|data|self|this|config|args|options|settings|local|module|random_password)\.(?=[A-Za-z_])`,
	String.raw`^env[.(:[]|^ENV\[`,
].join("|");
const VAULTS = [
	String.raw`^@[\w.]*KeyVault\(`,
	String.raw`^(?:op|sm|gsm|gcpsm|gcp-sm|gcp-secretmanager|awssm|aws-sm|aws-ssm|awsps|ssm|azkv|akv|azure-keyvault|keyvault|secretsmanager|secretmanager|vault|hcvault|doppler|infisical|berglas|bws|bw|bitwarden|keychain|keyring|akeyless|conjur|chamber|sops|k8s|kubernetes|secretref|secret-ref|ref\+\w+|resolve|env|file|exec|cmd|lookup|credstash|lpass|gopass|summon):`,
	String.raw`^arn:aws[\w-]*:`,
	String.raw`^projects/[^/\s]+/(?:locations/[^/\s]+/)?secrets/`,
	String.raw`^(?:secret|kv|secrets)/[\w/.-]+$`,
	String.raw`^ENC\[|^ENC\(|^\$ANSIBLE_VAULT|^Ag[A-D][A-Za-z0-9+/]{60}|^https://[\w.-]+\.vault\.azure\.net/`,
].join("|");
/** The name of a child session, which announces and tools call a `sessionKey`. */
const OUR_OWN = String.raw`^agent:[\w.-]+:subagent:[0-9a-f-]{36}\W*$`;
const REFERENCE = new RegExp(`${FILLED_IN}|${VAULTS}|${OUR_OWN}`);

const SESSION_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The bare id of a child session, which tools accept as its key. Under any other name it may be a secret. */
export const isOurSession = (name: string, value: string): boolean =>
	(name === "sessionKey" || name === "childSessionKey") && SESSION_UUID.test(value);

/** Every reference has one of these signs somewhere, or begins with one. */
const HAS_SIGN = /[${<%.(:[/+]|^(?:[!@*]|Ag)/;

export const isReference = (value: string): boolean => HAS_SIGN.test(value) && REFERENCE.test(value);
