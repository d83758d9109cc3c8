import { homedir, userInfo } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

/** Below the home folder: keys, tokens, mail, browsers, and shell histories. */
const IN_HOME = [
	...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".oci", ".terraform.d", ".vault-token", ".step"],
	...[
		".config/gh",
		".config/glab-cli",
		".config/hub",
		".config/gcloud",
		".config/op",
		".config/sops",
		".config/rclone",
		".config/age",
	],
	...[
		".config/doctl",
		".config/hcloud",
		".config/heroku",
		".config/stripe",
		".config/configstore",
		".config/containers",
	],
	...[".1password", ".password-store", ".local/share/keyrings", ".local/share/kwalletd", ".pki", ".mozilla"],
	...[".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge", ".thunderbird"],
	...[
		".netrc",
		".npmrc",
		".yarnrc.yml",
		".pypirc",
		".git-credentials",
		".config/git/credentials",
		".pgpass",
		".my.cnf",
	],
	...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".composer/auth.json", ".m2/settings.xml"],
	...[
		".claude",
		".claude.json",
		".codex",
		".gemini",
		".config/anthropic",
		".config/github-copilot",
		".config/opencode",
	],
	...[".bash_history", ".zsh_history", ".local/share/fish", ".python_history", ".node_repl_history", ".psql_history"],
	...[".mysql_history", ".sqlite_history", ".rediscli_history", ".irb_history", ".lesshst", ".viminfo", ".wget-hsts"],
	...[".s3cfg", ".boto", ".fly", ".terraformrc", ".dockercfg", ".config/netlify", ".local/share/com.vercel.cli"],
	...[
		".config/pip/pip.conf",
		".pip/pip.conf",
		".config/composer/auth.json",
		".bundle/config",
		".nuget/NuGet/NuGet.Config",
	],
	...[
		".env",
		".huggingface",
		".cache/huggingface/token",
		".config/openai",
		".local/share/opencode/auth.json",
		".local/share/amp/secrets.json",
	],
	...[".aider.conf.yml", ".config/io.datasette.llm", ".copilot", ".cursor", ".qwen", ".databrickscfg"],
	...[".snowflake", ".kaggle", ".pulumi", ".supabase", ".railway", ".config/ngrok"],
	...[".cloudflared", ".wrangler", ".config/.wrangler", ".config/linode-cli", ".config/scw", ".aliyun"],
	...[".bluemix", ".talos", ".config/argocd", ".config/helm/registry", ".config/tea", ".bunfig.toml"],
	...[
		".config/pnpm/rc",
		".config/pypoetry/auth.toml",
		".local/share/uv/credentials",
		".sbt/.credentials",
		".ivy2/.credentials",
		".m2/settings-security.xml",
	],
	...[".config/dart/pub-credentials.json", ".hex", ".authinfo", ".authinfo.gpg", ".msmtprc", ".mbsyncrc"],
	...[
		".fetchmailrc",
		".config/evolution",
		".local/share/evolution",
		".local/share/rbw",
		".config/keepassxc",
		".config/filezilla",
	],
	...[".local/share/remmina", ".config/Slack", ".config/discord", ".config/Signal", ".config/vivaldi", ".config/opera"],
	...[".librewolf", "snap/firefox", ".var/app", ".history", ".sh_history", ".ash_history"],
	...[
		".zhistory",
		".histfile",
		".config/nushell/history.txt",
		".local/share/atuin",
		".duckdb_history",
		".local/state/bash",
	],
	...[".gradle/gradle.properties", ".config/NuGet/NuGet.Config", ".config/Bitwarden", ".config/Bitwarden CLI"],
];

/** Variables with which a user moves one of these files. */
const NAMING_A_PLACE = [
	...[
		"GNUPGHOME",
		"AWS_SHARED_CREDENTIALS_FILE",
		"AWS_CONFIG_FILE",
		"AZURE_CONFIG_DIR",
		"CLOUDSDK_CONFIG",
		"KUBECONFIG",
	],
	...["GOOGLE_APPLICATION_CREDENTIALS", "OCI_CLI_CONFIG_FILE", "DOCKER_CONFIG", "TF_CLI_CONFIG_FILE", "RCLONE_CONFIG"],
	...[
		"GH_CONFIG_DIR",
		"GLAB_CONFIG_DIR",
		"SOPS_AGE_KEY_FILE",
		"PASSWORD_STORE_DIR",
		"BOTO_CONFIG",
		"NETRC",
		"PGPASSFILE",
	],
	...["NPM_CONFIG_USERCONFIG", "npm_config_userconfig", "PIP_CONFIG_FILE", "CLAUDE_CONFIG_DIR", "CODEX_HOME"],
	...["HISTFILE", "PYTHON_HISTORY", "NODE_REPL_HISTORY", "PSQL_HISTORY", "MYSQL_HISTFILE", "LESSHISTFILE"],
];

/** Variables that move a part of the home folder. */
const MOVING_A_PART = { XDG_CONFIG_HOME: ".config/", XDG_DATA_HOME: ".local/share/", CARGO_HOME: ".cargo/" };

/**
 * Files that only root can read on most machines. A ring that root starts runs without root's capabilities, but still owns
 * these files.
 */
export const HIDDEN_OF_THE_MACHINE: readonly string[] = [
	...[
		"/etc/shadow",
		"/etc/shadow-",
		"/etc/gshadow",
		"/etc/gshadow-",
		"/etc/ssl/private",
		"/etc/sudoers",
		"/etc/sudoers.d",
	],
	...["/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key", "/etc/krb5.keytab"],
	...["/var/spool/cron", "/var/lib/docker", "/var/lib/containerd", "/var/lib/kubelet", "/sys/kernel/debug"],
];

/** Paths that no tool of a child may read, in any configuration. Not all of them exist. */
export const hiddenInHomes = (): string[] =>
	[...new Set([homedir(), accountHome()])].flatMap((home) => IN_HOME.map((name) => join(home, name)));

let knownHome: string | undefined;

/** The user's home folder, even if pi was started with another one in `HOME`. Some systems ask a server for it. */
function accountHome(): string {
	try {
		knownHome ??= userInfo().homedir;
		return knownHome;
	} catch (error) {
		if (error instanceof Error && "code" in error) return homedir(); // In a container, a user may have no name.
		throw error;
	}
}

/** The same files at the paths that the user's variables name. */
export const hiddenByVariables = (env: NodeJS.ProcessEnv): string[] =>
	[
		// A variable may name several files, separated like the folders on the PATH.
		...NAMING_A_PLACE.flatMap((name) => (env[name] ?? "").split(delimiter)),
		...Object.entries(MOVING_A_PART).flatMap(([name, part]) =>
			env[name]
				? IN_HOME.filter((path) => path.startsWith(part)).map((path) => join(env[name] ?? "", path.slice(part.length)))
				: [],
		),
	].filter((path) => isAbsolute(path));
