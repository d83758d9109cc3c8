/** Below the home folder: keys, tokens, mail, browsers, and what was typed into shells. */
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
	...[".mysql_history", ".lesshst", ".viminfo", ".wget-hsts"],
];

/** What only root can read on most machines. A ring that root starts runs without its capabilities, but still owns these files. */
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

/** Paths that no tool of a child may read, whatever a configuration says. Not all of them exist. */
export const hiddenInHome = (home: string): string[] => IN_HOME.map((name) => `${home}/${name}`);
