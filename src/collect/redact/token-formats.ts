/** A token that can be known by its format alone, wherever it stands. */
export interface TokenFormat {
	kind: string;
	/** RegExp source. Every quantifier is bounded or ends the pattern, so that no text makes it slow. */
	source: string;
	/** The part of the match that stays readable. */
	keep?: RegExp;
	/** What the format itself cannot say, for formats that words may have, too. */
	accept?: (match: string) => boolean;
}

const hasDigit = (match: string): boolean => /\d/.test(match);
const hasSegmentOf =
	(length: number) =>
	(match: string): boolean =>
		match.split(/[-_]/).some((segment) => segment.length >= length && hasDigit(segment));

const raw = String.raw;

/** Formats from the vendors' documentation and from the rules of gitleaks, which were read for them. */
export const TOKEN_FORMATS: readonly TokenFormat[] = [
	{ kind: "github-token", source: raw`gh[pousr]_[A-Za-z0-9]{30,}` },
	{ kind: "github-token", source: raw`github_pat_\w{30,}` },
	{
		kind: "gitlab-token",
		source: raw`gl(?:pat|ptt|rt|rtr|dt|cbt|ft|imt|agent|oas|soat|ffct)-[\w-]{18,}(?:\.[\w.]{9,})?`,
	},
	{ kind: "gitlab-token", source: raw`GR1348941[\w-]{20,}` },
	{ kind: "slack-token", source: raw`xox[a-z](?:\.xox[a-z])?-[\w-]{10,}`, accept: hasDigit },
	{ kind: "slack-token", source: raw`xapp-\d-[\w-]{20,}` },
	{ kind: "webhook", source: raw`hooks\.slack\.com/(?:services|workflows|triggers)/[\w/+-]{20,}`, keep: /^.+?\/\w+\// },
	{ kind: "webhook", source: raw`discord(?:app)?\.com/api/webhooks/\d{6,}/[\w-]{40,}`, keep: /^.+\// },
	{ kind: "webhook", source: raw`webhook\.office\.com/webhookb2/[\w@/-]{40,}`, keep: /^.+?\/\w+\// },
	{ kind: "stripe-key", source: raw`[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}` },
	{ kind: "webhook-secret", source: raw`whsec_[A-Za-z0-9+/]{20,}={0,2}` },
	{ kind: "anthropic-key", source: raw`sk-ant-[\w-]{20,}`, accept: hasSegmentOf(8) },
	{ kind: "api-key", source: raw`sk-(?:proj|svcacct|admin|None|or-v1|lf|org)-[\w-]{20,}`, accept: hasSegmentOf(8) },
	{ kind: "api-key", source: raw`sk-[A-Za-z0-9]{20,}`, accept: hasDigit },
	{ kind: "google-key", source: raw`AIza[\w-]{35}(?![\w-])` },
	{ kind: "google-token", source: raw`ya29\.[\w-]{20,}` },
	{ kind: "google-token", source: raw`GOCSPX-[\w-]{20,}` },
	{ kind: "google-token", source: raw`1//0[\w-]{40,}` },
	{ kind: "huggingface-token", source: raw`(?:hf|api_org)_[A-Za-z0-9]{30,}` },
	{ kind: "npm-token", source: raw`npm_[A-Za-z0-9]{36}` },
	{ kind: "pypi-token", source: raw`pypi-[\w-]{50,}` },
	{ kind: "rubygems-key", source: raw`rubygems_[0-9a-f]{48}` },
	{ kind: "sendgrid-key", source: raw`SG\.[\w-]{16,32}\.[\w-]{16,64}` },
	{ kind: "brevo-key", source: raw`xkeysib-[0-9a-f]{64}-\w{16}` },
	{ kind: "twilio-id", source: raw`(?:SK|AC)[0-9a-f]{32}(?!\w)` },
	{ kind: "mailgun-key", source: raw`(?<![\w-]{2})key-[0-9a-f]{32}(?!\w)` },
	{ kind: "digitalocean-token", source: raw`do[opr]_v1_[0-9a-f]{64}` },
	{ kind: "aws-key-id", source: raw`(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?!\w)` },
	{ kind: "aws-key", source: raw`ABSK[A-Za-z0-9+/]{100,}={0,2}` },
	{ kind: "aws-key", source: raw`bedrock-api-key-[A-Za-z0-9+/=]{30,}` },
	{ kind: "alibaba-key-id", source: raw`LTAI[A-Za-z0-9]{17,20}(?!\w)` },
	{ kind: "linear-key", source: raw`lin_(?:api|oauth)_[A-Za-z0-9]{32,}` },
	{ kind: "notion-token", source: raw`ntn_[A-Za-z0-9]{40,}` },
	{ kind: "notion-token", source: raw`secret_[A-Za-z0-9]{43}(?!\w)` },
	{ kind: "atlassian-token", source: raw`AT[A-Z]TT3[\w=-]{50,}` },
	{ kind: "databricks-token", source: raw`dapi[0-9a-f]{32}(?:-\d)?(?!\w)` },
	{ kind: "vault-token", source: raw`hv[sbr]\.[\w-]{24,}` },
	{ kind: "age-key", source: raw`AGE-SECRET-KEY-1[A-Z0-9]{50,}` },
	{ kind: "doppler-token", source: raw`dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,}` },
	{ kind: "shopify-token", source: raw`shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32}` },
	{ kind: "square-token", source: raw`sq0[a-z]{3}-[\w-]{22,}` },
	{ kind: "square-token", source: raw`EAAA[\w-]{56,62}(?![\w+/-])` },
	{ kind: "facebook-token", source: raw`EAA[MC][A-Za-z0-9]{100,}(?![\w+/-])` },
	{ kind: "groq-key", source: raw`gsk_[A-Za-z0-9]{40,}` },
	{ kind: "xai-key", source: raw`xai-[A-Za-z0-9]{60,}` },
	{ kind: "replicate-token", source: raw`r8_[A-Za-z0-9]{30,}` },
	{ kind: "tavily-key", source: raw`tvly-(?:(?:dev|prod)-)?[\w-]{20,}`, accept: hasSegmentOf(8) },
	{ kind: "perplexity-key", source: raw`pplx-[A-Za-z0-9]{40,}` },
	{ kind: "supabase-key", source: raw`sbp_(?:v\d_)?[0-9a-f]{40}` },
	{ kind: "supabase-key", source: raw`sb_secret_[\w-]{22,}` },
	{ kind: "vercel-token", source: raw`vercel_blob_rw_\w{30,}` },
	{ kind: "vercel-token", source: raw`vc[pkiar]_[A-Za-z0-9]{40,}` },
	{ kind: "fly-token", source: raw`FlyV1 [\w,+/=-]{30,}`, keep: /^FlyV1 / },
	{ kind: "fly-token", source: raw`f(?:m1[ar]|m2|o1)_[\w+/-]{40,}={0,3}` },
	{ kind: "grafana-token", source: raw`glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}` },
	{ kind: "grafana-token", source: raw`glc_[A-Za-z0-9+/]{32,}={0,2}` },
	{ kind: "sentry-token", source: raw`sntry[us]_[\w+/=]{40,}` },
	{ kind: "postman-key", source: raw`PMAK-[0-9a-f]{24}-[0-9a-f]{34}` },
	{ kind: "planetscale-token", source: raw`pscale_(?:tkn|oauth|pw)_[\w.=-]{30,}` },
	{ kind: "pulumi-token", source: raw`pul-[0-9a-f]{40}` },
	{ kind: "newrelic-key", source: raw`NR(?:AK|II|JS|AL)-[A-Za-z0-9-]{19,}`, accept: hasDigit },
	{ kind: "heroku-key", source: raw`HRKU-[\w-]{36,}` },
	{ kind: "dockerhub-token", source: raw`dckr_(?:pat|oat)_[\w-]{20,}` },
	{ kind: "dynatrace-token", source: raw`dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}` },
	{ kind: "figma-token", source: raw`fig[dor]_[\w-]{36,}`, accept: hasDigit },
	{ kind: "airtable-token", source: raw`pat[A-Za-z0-9]{14}\.[0-9a-f]{64}` },
	{ kind: "prefect-key", source: raw`pnu_[A-Za-z0-9]{36}` },
	{ kind: "artifactory-key", source: raw`AKCp[A-Za-z0-9]{69}` },
	{ kind: "easypost-key", source: raw`EZ[AT]K[A-Za-z0-9]{54}` },
	{ kind: "1password-token", source: raw`ops_eyJ[A-Za-z0-9+/_-]{200,}={0,2}` },
	{ kind: "signature", source: raw`(?<=[?&])sig=[\w%+/=-]{20,}`, keep: /^sig=/ },
	{ kind: "signature", source: raw`X-(?:Amz|Goog)-Signature=[0-9a-f]{64,}`, keep: /^[^=]+=/ },
	// Not in the middle of a run of such characters: else each beginning inside it would read the rest of it again. The
	// six characters are those that an escape before the token may end with.
	{ kind: "jwt", source: raw`(?<![\w-]{6})eyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]*){0,3}` },
	{ kind: "discord-token", source: raw`[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])`, accept: hasDigit },
];

/** Formats that begin with any character: searched only if the text has the part that marks them. */
export const MARKED_FORMATS: readonly (TokenFormat & { marker: RegExp })[] = [
	{ kind: "terraform-token", marker: /\.atlasv1\./, source: raw`[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}` },
	{ kind: "telegram-token", marker: /\d:AA/, source: raw`(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])` },
	{ kind: "mailchimp-key", marker: /[0-9a-f]-us\d/, source: raw`(?<![0-9a-f])[0-9a-f]{32}-us\d{1,2}(?!\w)` },
	{ kind: "azure-secret", marker: /\dQ~/, source: raw`(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~-])` },
];
