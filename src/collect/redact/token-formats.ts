/** A token that can be known by its format alone, wherever it stands. */
export interface TokenFormat {
	kind: string;
	/** How it begins. `M?` stands for an M and any character of a word. */
	prefixes: readonly string[];
	/** RegExp source of what follows the prefix. Every quantifier is bounded, so that no text makes it slow. */
	body: string;
	/** The part of the match that stays readable. */
	keep?: RegExp;
	/** What the format itself cannot say, for formats that words may have, too. */
	accept?: (match: string) => boolean;
}

const raw = String.raw;
const hasDigit = (match: string): boolean => /\d/.test(match);
const hasSegmentOf =
	(length: number) =>
	(match: string): boolean =>
		match.split(/[-_]/).some((segment) => segment.length >= length && hasDigit(segment));

type Extras = Pick<TokenFormat, "keep" | "accept">;

/** One line a format: what it is called, its prefixes apart by spaces, what follows them. */
const format = (kind: string, prefixes: string, body: string, extras: Extras = {}): TokenFormat => ({
	kind,
	prefixes: prefixes.split(" "),
	body,
	...extras,
});

const AN = (length: string): string => raw`[A-Za-z0-9]{${length}}`;
const LOWER_CASE = (length: string): string => raw`[a-z0-9]{${length}}`;
const UP = (length: string): string => raw`[A-Z0-9]{${length}}`;
const HEX_OF = (length: string): string => raw`[0-9a-fA-F]{${length}}`;
const URL64 = (length: string): string => raw`[\w-]{${length}}`;
const B64 = (length: string): string => raw`[A-Za-z0-9+/]{${length}}={0,3}`;
const UUID_FORMAT = raw`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`;
const ENDS = raw`(?![\w-])`;
const digits = { accept: hasDigit };

/**
 * Formats from the vendors' documentation and from the public rule lists of gitleaks and trufflehog, which were read for
 * prefixes, lengths and alphabets. A format with a short prefix ends where the word does, or has to have a digit.
 */
export const TOKEN_FORMATS: readonly TokenFormat[] = [
	// Code hosts, continuous integration and package registries
	format("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", AN("30,300")),
	format("github-token", "github_pat_", raw`\w{30,300}`),
	format(
		"gitlab-token",
		"glpat- glptt- glrt- glrtr- gldt- glcbt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-",
		raw`[\w-]{18,320}(?:\.[\w.]{9,40})?`,
	),
	format("gitlab-token", "GR1348941", URL64("20,40")),
	format("bitbucket-token", "ATBB", raw`${AN("28,36")}${ENDS}`, digits),
	format("bitbucket-token", "BBDC-", raw`[A-Za-z0-9+/@_-]{40,50}`, digits),
	format("gitea-token", "gta_ gto_", raw`${AN("40,64")}${ENDS}`, digits),
	format("npm-token", "npm_", AN("36")),
	format("pypi-token", "pypi-", URL64("50,400")),
	format("rubygems-key", "rubygems_", HEX_OF("48")),
	format("nuget-key", "oy2", raw`${LOWER_CASE("43")}${ENDS}`, digits),
	format("crates-token", "cio", raw`${AN("32")}${ENDS}`, digits),
	format("clojars-token", "CLOJARS_", AN("60")),
	format("dockerhub-token", "dckr_pat_ dckr_oat_", URL64("20,60")),
	format("artifactory-key", "AKCp", AN("69,73")),
	format("artifactory-token", "cmVmd", raw`${AN("59")}${ENDS}`),
	format("cloudsmith-token", "csa_ csk_", raw`${AN("32,44")}${ENDS}`, digits),
	format("circleci-token", "CCIPAT_ CCIPRJ_", raw`${AN("16,30")}_${HEX_OF("40")}`),
	format("buildkite-token", "bkua_ bkaj_ bkct_ bkpat_", AN("32,64"), digits),
	format("harness-token", "pat. sat.", raw`[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}`),
	format("octopus-key", "API-", raw`${UP("25,34")}${ENDS}`, digits),
	format("sonar-token", "squ_ sqp_ sqa_ sqb_", HEX_OF("40")),
	format("sonar-token", "sqco_", AN("50,64")),
	format("sourcegraph-token", "sgp_", raw`(?:(?:${HEX_OF("16")}|local)_)?${HEX_OF("40")}`),
	format("sourcegraph-token", "sgd_ slk_ sgr_", raw`\w{40,80}${ENDS}`, digits),
	format("snyk-token", "snyk_uat. snyk_sat.", raw`[\w.-]{30,300}`),
	format("gitguardian-token", "ggtt-v-", AN("20,60")),
	format("spectral-token", "spu-", raw`${LOWER_CASE("32")}${ENDS}`),
	format("trufflehog-token", "thog-key- thog-secret-", HEX_OF("16,64")),
	format("codecov-token", "codecov-", raw`(?=${UUID_FORMAT})${UUID_FORMAT}`),
	format("chromatic-token", "chpt_", LOWER_CASE("10,40"), digits),
	format("expo-token", "expo_ eas_", raw`${AN("40,64")}${ENDS}`, digits),
	// Clouds and hosting
	format("aws-key-id", "AKIA ASIA ABIA ACCA", raw`[A-Z2-7]{16}(?!\w)`),
	format("aws-key", "ABSK", raw`[A-Za-z0-9+/]{100,300}={0,2}`),
	format("aws-key", "bedrock-api-key-", raw`[A-Za-z0-9+/=]{30,400}`),
	format("aws-key", "da2-", raw`${LOWER_CASE("26")}${ENDS}`),
	format("google-key", "AIza", raw`[\w-]{35}${ENDS}`),
	format("google-key", "AQ.Ab8", URL64("40,80")),
	format("google-token", "ya29.", URL64("20,400")),
	format("google-token", "GOCSPX-", URL64("20,40")),
	format("google-token", "1//0", URL64("40,200")),
	format("google-hmac", "GOOG1E GOOG", raw`${UP("20,61")}(?!\w)`, digits),
	format(
		"google-service-account",
		"ewogICJ0eXBlIjogInNlcnZpY2VfYWNjb3VudCI eyJ0eXBlIjoic2VydmljZV9hY2NvdW50I",
		B64("40,400"),
	),
	format("firebase-key", "AAAA", raw`[\w-]{7}:APA91b[\w-]{130,150}`),
	format("alibaba-key-id", "LTAI", raw`[A-Za-z0-9]{17,21}(?!\w)`),
	format("tencent-key-id", "AKID", raw`[A-Za-z0-9]{32}(?!\w)`),
	format("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", HEX_OF("64")),
	format("digitalocean-key", "DO00", raw`${UP("16")}(?!\w)`, digits),
	format("scaleway-key", "SCW", raw`${UP("17")}(?!\w)`, digits),
	format("exoscale-key", "EXO", raw`[0-9a-f]{24,26}(?!\w)`),
	format("vultr-key", "vultr_", AN("30,60"), digits),
	format("fly-token", "FlyV1", raw` [\w,+/=-]{30,800}`, { keep: /^FlyV1 / }),
	format("fly-token", "fm1a_ fm1r_ fm2_ fo1_", raw`[\w+/-]{40,800}={0,3}`),
	format("heroku-key", "HRKU-", URL64("36,80")),
	format("render-key", "rnd_", raw`${AN("24,40")}${ENDS}`, digits),
	format("netlify-token", "nfp_ nfc_ nfo_ nfu_ nfb_", raw`${AN("36,44")}${ENDS}`, digits),
	format("vercel-token", "vercel_blob_rw_", raw`\w{30,100}`),
	format("vercel-token", "vcp_ vck_ vci_ vca_ vcr_", AN("40,100")),
	format("deno-token", "ddp_ ddw_ ddo_", raw`${AN("36")}${ENDS}`),
	format("cloudflare-key", "v1.0-", raw`[0-9a-f]{24}-[0-9a-f]{100,180}`),
	format("cloudflare-token", "cfut_ cfat_ cfk_ cfpat_", AN("40,56")),
	format("scalingo-token", "tk-us- tk-eu-", URL64("40,56")),
	format("yandex-token", "t1.", raw`[\w-]{20,400}={0,2}\.[\w-]{80,90}={0,2}`),
	format("yandex-key", "AQVN", raw`[\w-]{35,38}${ENDS}`, digits),
	format("yandex-key", "YCAJE YCO YCM YCP", raw`[\w-]{20,40}${ENDS}`, digits),
	format("openshift-token", "sha256~", URL64("43")),
	format("oracle-key", "ocid1.credential.", raw`[\w.-]{30,150}`),
	format("backblaze-key", "K00", raw`[A-Za-z0-9+/]{28}(?![\w+/])`, digits),
	// Databases
	format("planetscale-token", "pscale_tkn_ pscale_oauth_ pscale_pw_ pscale_otkn_", raw`[\w.=-]{30,80}`),
	format("supabase-key", "sbp_", raw`(?:v\d_|oauth_)?[0-9a-f]{40}`),
	format("supabase-key", "sb_secret_", URL64("22,60")),
	format("neon-key", "napi_", LOWER_CASE("40,80"), digits),
	format("xata-key", "xau_", AN("24,60"), digits),
	format("turso-token", "tur_", AN("30,80"), digits),
	format("cockroach-key", "CCDB1_", raw`${AN("22")}_${AN("40")}`),
	format("atlas-secret", "mdb_sa_sk_", URL64("36,60")),
	format("clickhouse-key", "4b1d", raw`${AN("38")}${ENDS}`),
	format("aiven-token", "aivenv1_", raw`[\w+/=-]{40,400}`),
	format("confluent-secret", "cflt", raw`[A-Za-z0-9+/]{50,64}(?![\w+/])`, digits),
	format("elastic-key", "essu_ essr_", raw`[A-Za-z0-9+/_-]{30,200}={0,2}`),
	format("pinecone-key", "pcsk_", raw`${AN("4,8")}_${AN("50,80")}`),
	format("pganalyze-key", "pgar_ pgaw_", AN("25,40"), digits),
	format("databricks-token", "dapi", raw`[0-9a-f]{32}(?:-\d)?(?!\w)`),
	format("databricks-token", "dkea dose", raw`[0-9a-f]{32}(?!\w)`),
	format("dbt-token", "dbtc_ dbtu_", URL64("32,80"), digits),
	format("snowflake-token", "ver:", raw`1-hint:[\w=+/-]{20,300}`),
	// Models
	format("anthropic-key", "sk-ant-", URL64("20,200"), { accept: hasSegmentOf(8) }),
	format(
		"api-key",
		"sk-proj- sk-svcacct- sk-service- sk-admin- sk-None- sk-or-v1- sk-lf- sk-org- sk-litellm- sk-user-",
		URL64("20,240"),
		{
			accept: hasSegmentOf(8),
		},
	),
	format("api-key", "sk-", AN("20,240"), digits),
	format("huggingface-token", "hf_ api_org_ hf_oauth_", raw`${AN("30,60")}${ENDS}`),
	format("groq-key", "gsk_", AN("40,60")),
	format("xai-key", "xai-", AN("60,90")),
	format("replicate-token", "r8_", raw`[\w-]{30,44}`),
	format("tavily-key", "tvly-", raw`(?:(?:dev|prod)-)?[\w-]{20,60}`, { accept: hasSegmentOf(8) }),
	format("perplexity-key", "pplx-", AN("40,60")),
	format("together-key", "tgp_v1_", URL64("40,50")),
	format("fireworks-key", "fw_", raw`${AN("20,40")}${ENDS}`, digits),
	format("cerebras-key", "csk-", raw`${LOWER_CASE("40,56")}${ENDS}`),
	format("nvidia-key", "nvapi-", URL64("50,80")),
	format("voyage-key", "pa-", raw`[\w-]{43}${ENDS}`, digits),
	format("jina-key", "jina_", raw`\w{50,80}`, digits),
	format("langsmith-key", "lsv2_pt_ lsv2_sk_ ls__", raw`[0-9a-f]{30,40}(?:_[0-9a-f]{8,12})?`),
	format("langfuse-key", "sk-lf- pk-lf-", UUID_FORMAT),
	format("runpod-key", "rpa_", AN("36,60"), digits),
	format("modal-token", "ak- as-", raw`${AN("22")}${ENDS}`, digits),
	format("anyscale-key", "esecret_ aph0_", raw`[\w-]{24,80}`, digits),
	format("elevenlabs-key", "sk_", raw`[0-9a-f]{48}(?!\w)`),
	format("wandb-key", "wandb_v1_", raw`\w{40,120}`),
	format("firecrawl-key", "fc-", raw`[0-9a-f]{32}(?!\w)`),
	format("helicone-key", "sk-helicone-", raw`[\w-]{20,80}`, digits),
	format("portkey-key", "pk-live-", raw`[\w-]{20,60}`, digits),
	format("friendli-token", "flp_", AN("40,60"), digits),
	format("salad-key", "salad_cloud_", raw`[\w]{14,240}`, digits),
	// Payment and commerce
	format("stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", raw`[A-Za-z0-9]{10,250}`),
	format("stripe-key", "sk_org_live_ sk_org_test_", AN("20,250")),
	format("stripe-secret", "pi_ seti_ cs_live_ cs_test_", raw`${AN("20,70")}_secret_${AN("20,90")}`),
	format("webhook-secret", "whsec_", raw`[A-Za-z0-9+/]{20,90}={0,2}`),
	format("square-token", "sq0atp- sq0csp- sq0idp- sq0asp-", URL64("22,60")),
	format("square-token", "EAAA", raw`[\w-]{56,62}(?![\w+/-])`),
	format("shopify-token", "shpat_ shpca_ shppa_ shpss_ shpua_ shptka_", raw`[0-9a-fA-F]{32}`),
	format("paypal-token", "access_token$", raw`(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}`),
	format("plaid-token", "access-sandbox- access-development- access-production-", UUID_FORMAT),
	format("flutterwave-key", "FLWSECK- FLWSECK_TEST- FLWPUBK_TEST-", raw`[0-9a-zA-Z]{12,40}(?:-X)?`),
	format("paystack-key", "sk_live_ sk_test_", AN("40")),
	format("razorpay-key", "rzp_live_ rzp_test_", raw`${AN("14,24")}${ENDS}`),
	format("pagarme-key", "ak_live_ ak_test_ ek_live_", AN("24,40")),
	format("mollie-key", "live_ test_", raw`${AN("30")}(?!\w)`, digits),
	format("api-key", "live_ test_", raw`(?:[0-9a-f]{35}|[\w-]{40})${ENDS}`, digits),
	format("easypost-key", "EZAK EZTK", AN("54")),
	format("shippo-token", "shippo_live_ shippo_test_", HEX_OF("40")),
	format("duffel-token", "duffel_live_ duffel_test_", raw`[\w=-]{43}`),
	format("recharge-key", "sk_1x1_ sk_1x3_ sk_2x2_ sk_3x3_ sk_5x5_ sk_10x10_ sk_test_1x1_", HEX_OF("64")),
	format("ramp-token", "ramp_id_ ramp_sec_ ramp_tok_", AN("36,56")),
	format("woocommerce-key", "ck_ cs_", raw`[0-9a-f]{40}(?!\w)`),
	format("coinbase-key", "organizations/", raw`${UUID_FORMAT}/apiKeys/${UUID_FORMAT}`, { keep: /^organizations\// }),
	format("robinhood-key", "rh-api-", UUID_FORMAT),
	format("flexport-token", "shltm_", URL64("36,44")),
	format("fleetbase-key", "flb_live_ flb_test_", AN("18,40")),
	format("lemonsqueezy-key", "lsq_", AN("30,80"), digits),
	format("paddle-key", "pdl_live_apikey_ pdl_sdbx_apikey_ pdl_ntfset_", raw`[\w]{20,100}`, digits),
	// Mail, messages and support
	format(
		"slack-token",
		"xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxb- xoxe.xoxp-",
		raw`[\w%-]{10,300}`,
		digits,
	),
	format("slack-token", "xapp-", raw`\d-[\w-]{20,120}`),
	format("webhook", "hooks.slack.com/", raw`(?:services|workflows|triggers)/[\w/+-]{20,120}`, { keep: /^.+?\/\w+\// }),
	format("webhook", "hooks.zapier.com/hooks/catch/", raw`[\w/]{10,40}`),
	format("webhook", "discord.com/api/ discordapp.com/api/", raw`(?:v\d+/)?webhooks/\d{6,20}/[\w-]{40,90}`, {
		keep: /^.+\//,
	}),
	format("sendgrid-key", "SG.", raw`[\w-]{16,32}\.[\w-]{16,64}`),
	format("brevo-key", "xkeysib- xsmtpsib-", raw`[0-9a-f]{64}-\w{16}`),
	format("twilio-id", "SK AC", raw`[0-9a-f]{32}(?!\w)`),
	format("mailgun-key", "key-", raw`(?<![\w-]{2}key-)[0-9a-f]{32}(?!\w)`),
	format("mailgun-key", "pubkey-", raw`[0-9a-f]{32}(?!\w)`),
	format("resend-key", "re_", raw`${AN("8")}_${AN("20,30")}${ENDS}`),
	format("mandrill-key", "md-", raw`[\w-]{22}${ENDS}`, digits),
	format("telnyx-key", "KEY0 KEY", raw`[0-9A-Za-z]{20,40}_[\w-]{20,30}`),
	format("intercom-token", "dG9rO", raw`[A-Za-z0-9+/]{50,64}={0,2}`),
	format("onesignal-key", "os_v2_app_ os_v2_org_", raw`[a-z2-7]{60,120}`),
	format("hubspot-token", "pat-na1- pat-na2- pat-na3- pat-eu1- pat-ap1-", UUID_FORMAT),
	format("klaviyo-key", "pk_", raw`(?:${AN("6")}_)?[0-9a-f]{34}(?!\w)`),
	format("clickup-token", "pk_", raw`\d{5,10}_[A-Z0-9]{32}`),
	format("customerio-key", "cio_", AN("30,60"), digits),
	format("novu-key", "nv_", AN("30,60"), digits),
	format("courier-key", "pk_prod_ pk_test_", raw`[A-Z0-9]{28}(?!\w)`, digits),
	format("zapier-key", "sk-ak-", raw`[\w-]{20,60}`, digits),
	// Work
	format("linear-key", "lin_api_ lin_oauth_ lin_wh_", AN("32,80")),
	format("notion-token", "ntn_", AN("40,60")),
	format("notion-token", "secret_", raw`[A-Za-z0-9]{43}(?!\w)`),
	format("atlassian-token", "ATATT3 ATCTT3 ATSTT3", raw`[\w=+/-]{50,300}`),
	format("trello-token", "ATTA", raw`[0-9a-f]{64}(?!\w)`),
	format("asana-token", "1/ 2/", raw`\d{12,20}(?:/\d{12,20})?:[0-9a-f]{32}`),
	format("airtable-token", "pat", raw`[A-Za-z0-9]{14}\.[0-9a-f]{64}`),
	format("airtable-token", "oaa", raw`[A-Za-z0-9]{14}\.v1\.[\w-]{20,120}\.[0-9a-f]{64}`),
	format("figma-token", "figd_ figo_ figr_ figp_ figu_", raw`[\w-]{36,60}`, digits),
	format("frameio-token", "fio-u-", URL64("60,70")),
	format("dropbox-token", "sl.", raw`(?:u\.)?[\w-]{130,400}`, digits),
	format("typeform-token", "tfp_", raw`[\w.=-]{40,64}`, digits),
	format("contentful-token", "CFPAT-", URL64("40,50")),
	format("sanity-token", "skE sk0", raw`${AN("80,200")}`, digits),
	format("readme-key", "rdme_", raw`[a-z0-9]{60,80}`),
	format("cal-key", "cal_live_ cal_test_", LOWER_CASE("20,60"), digits),
	format("retool-token", "retool_", raw`[\w]{20,60}`, { accept: hasSegmentOf(12) }),
	format("n8n-key", "n8n_api_", raw`[\w.-]{30,300}`, digits),
	format("apify-token", "apify_api_ apify_proxy_", AN("30,50")),
	format("salesforce-token", "00D", raw`[A-Za-z0-9]{12,15}![\w.]{80,120}`),
	format("salesforce-key", "3MVG9 5Aep861 5AEP861", raw`[\w.+/=]{60,260}`, digits),
	format("zoho-token", "1000.", raw`[0-9a-f]{32}\.[0-9a-f]{32}`),
	format("adobe-secret", "p8e- p8-", raw`[\w-]{32}${ENDS}`, digits),
	format("adobe-secret", "s-s4t2ud- s-s4t2af- u-s4t2ud- u-s4t2af-", HEX_OF("64")),
	format("webflow-token", "ws-", raw`[0-9a-f]{60,80}`),
	format("bannerbear-key", "bb_pr_ bb_ma_", HEX_OF("28,40")),
	format("postman-key", "PMAK-", raw`[0-9a-f]{24}-[0-9a-f]{34}`),
	format("postman-key", "PMAT-", UP("24,30"), digits),
	format("mapbox-token", "sk. tk.", raw`[A-Za-z0-9-]{40,240}(?:\.[\w-]{20,40})?`, digits),
	format("mapbox-token", "pk.", raw`eyJ[A-Za-z0-9-]{40,240}\.[\w-]{20,40}`),
	format("locationiq-key", "pk.", raw`[0-9a-f]{32}(?!\w)`),
	format("facebook-token", "EAAM EAAC EAAG EAAB EAAF EAAD EAAE EAAH EAAI EAAJ", raw`[A-Za-z0-9]{100,400}(?![\w+/-])`),
	format("instagram-token", "IGQV IGQW IGAA", raw`[A-Za-z0-9_-]{80,300}`, digits),
	format("twitter-token", "AAAAAAAAAAAAAAAAAAAA", raw`[A-Za-z0-9%]{60,120}`, digits),
	format("pinterest-token", "pina_", raw`[\w-]{40,120}`, digits),
	format("tiktok-token", "act. rft.", raw`[\w!-]{50,120}`, digits),
	format("twitch-token", "oauth:", raw`[a-z0-9]{30}(?!\w)`, { accept: hasDigit, keep: /^oauth:/ }),
	format("voiceflow-key", "VF.", raw`(?:(?:DM|WS)\.)?[0-9a-f]{24}\.[A-Za-z0-9]{16}`),
	format("nightfall-key", "NF-", raw`${AN("32")}${ENDS}`, digits),
	format("finage-key", "API_KEY", raw`[0-9A-Z]{32}(?!\w)`, digits),
	format("dfuse-key", "web_ server_", raw`[0-9a-f]{32}(?!\w)`),
	format("infracost-key", "ico-", raw`${AN("32")}${ENDS}`, digits),
	// Secrets, access and observation
	format("vault-token", "hvs. hvb. hvr.", URL64("24,300")),
	format("vault-token", "s. b. r.", raw`${AN("24")}(?:\.${AN("5")})?(?![\w.-])`, digits),
	format("boundary-token", "at_", raw`${AN("10")}_[\w-]{60,200}`),
	format("1password-token", "ops_eyJ", raw`[A-Za-z0-9+/_-]{200,400}={0,2}`),
	format(
		"1password-key",
		"A3-",
		raw`[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}`,
	),
	format("age-key", "AGE-SECRET-KEY-1 AGE-PLUGIN-", raw`[A-Z0-9-]{50,200}`),
	format(
		"doppler-token",
		"dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. dp.said.",
		raw`(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,50}`,
	),
	format("infisical-token", "st.", raw`(?:${UUID_FORMAT}|[0-9a-f]{24,32})\.[0-9a-f]{32}\.[0-9a-f]{32}`),
	format("tailscale-key", "tskey-", raw`[a-z]{2,12}-[\w]{6,40}-[\w]{16,60}`),
	format("tailscale-key", "tskey-", raw`${AN("20,60")}`, digits),
	format(
		"authress-key",
		"sc_ ext_ scauth_ authress_",
		raw`[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][\w-]{10,40}\.[\w+/=-]{30,120}`,
	),
	format("stytch-secret", "secret-live- secret-test-", raw`[\w=-]{30,60}`, digits),
	format("workos-key", "sk_test_a2V5X sk_live_a2V5X", AN("40,120")),
	format("endor-key", "endr+", raw`[A-Za-z0-9-]{16,40}`, digits),
	format("ngrok-token", "2?", raw`${AN("25,28")}_\d${AN("20,24")}(?!\w)`),
	format("ngrok-token", "ak_2 cr_2", raw`${AN("26")}(?!\w)`),
	format("terraform-token", "mmk_", AN("20,60")),
	format("prefect-key", "pnu_ pnb_", AN("36")),
	format("pulumi-token", "pul-", raw`[0-9a-z]{40}${ENDS}`),
	format("spacelift-key", "spacelift_", AN("20,60"), digits),
	format("scalr-token", "at-", raw`[\w-]{40,80}`, { accept: hasSegmentOf(20) }),
	format("grafana-token", "glsa_", raw`[A-Za-z0-9]{32}_[0-9a-fA-F]{8}`),
	format("grafana-token", "glc_", B64("32,400")),
	format("sentry-token", "sntryu_ sntrys_ sntrya_ sntryr_", raw`[\w+/=]{40,400}`),
	format("newrelic-key", "NRAK- NRII- NRIQ- NRJS- NRBR- NRAL- NRRA-", raw`[\w-]{19,44}`, digits),
	format("dynatrace-token", "dt0", raw`[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}`),
	format("honeycomb-key", "hcaik_ hcbik_ hcaic_ hcxik_ hcalk_ hcamk_", raw`[a-z0-9]{26,70}`, digits),
	format("honeybadger-key", "hbp_ hbu_", AN("30,50"), digits),
	format("posthog-key", "phx_ phs_", raw`${AN("40,56")}`, digits),
	format("rootly-key", "rootly_", HEX_OF("64")),
	format("checkly-key", "cu_", raw`[0-9a-f]{32}(?!\w)`),
	format("launchdarkly-key", "sdk- api- mob- rel-", raw`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`),
	format("pubnub-key", "sec-c- pub-c- sub-c-", raw`(?:${UUID_FORMAT}|[A-Za-z0-9+/]{40,60})`),
	format("adafruit-key", "aio_", AN("28")),
	format("ubidots-token", "BBFF- BBUS-", AN("28,36")),
	format("lob-key", "live_pub_ test_pub_", raw`[0-9a-f]{31}(?!\w)`),
	format("denodo-key", "dnkey-", raw`[\w=-]{26}-[\w=-]{52}`),
	format("settlemint-token", "sm_aat_ sm_pat_ sm_sat_", AN("16,40")),
	format("close-key", "api_", raw`[A-Za-z0-9.]{40,50}(?!\w)`, {
		accept: (match) => hasDigit(match) && /[A-Z]/.test(match),
	}),
	format("clerk-key", "ak_", raw`${AN("32,64")}${ENDS}`, digits),
	format("akamai-token", "akab-", raw`[a-z0-9]{16}-[a-z0-9]{16}`),
	format("linkedin-secret", "WPL_AP1.", raw`[A-Za-z0-9+/]{16}\.[A-Za-z0-9+/=]{6,12}`),
	format("bitwarden-token", "0.", raw`${UUID_FORMAT}\.[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}==`),
	format("azure-refresh-token", "0.A 1.A", raw`[\w-]{20,400}\.[\w.-]{40,800}`),
	format("password-hash", "$2a$ $2b$ $2y$", raw`\d\d\$[./A-Za-z0-9]{53}`),
	format(
		"password-hash",
		"$1$ $5$ $6$ $y$ $7$ $apr1$ $gy$ $argon2i $argon2id $argon2d $scrypt",
		raw`[$\w./=,+-]{20,400}`,
		digits,
	),
	// Keys that every program reads as JSON or as three parts
	// Not in the middle of a run of such characters: else each beginning inside it would read the rest of it again. The
	// six characters are those that an escape before the token may end with.
	format("jwt", "eyJ", raw`(?<![\w-]{6}eyJ)[\w-]{10,4000}\.[\w-]{10,8000}(?:\.[\w-]{0,2000}){0,3}`),
	format("jwt", "ZXlK", raw`[A-Za-z0-9+/_-]{60,400}={0,2}`, digits),
	format("discord-token", "M? N? O?", raw`[\w-]{22,26}\.[\w-]{6}\.[\w-]{27,40}${ENDS}`, digits),
	format("discord-token", "mfa.", raw`[\w-]{80,90}`, digits),
	format("signature", "sig=", raw`(?<=[?&;]sig=)[\w%+/=-]{20,200}`, { keep: /^sig=/ }),
	format("signature", "X-Amz-Signature= X-Goog-Signature=", raw`[0-9a-f]{64,600}`, { keep: /^[^=]+=/ }),
	format("token", "X-Amz-Security-Token=", raw`[\w%+/=-]{40,2000}`, { keep: /^[^=]+=/ }),
];

/** Formats that begin with any character: what marks them is searched, and their beginning looked for before it. */
export interface MarkedFormat {
	kind: string;
	marker: RegExp;
	/** RegExp source of the whole token. */
	source: string;
	/** How many characters it may have before the marker, at most. */
	before: number;
	keep?: RegExp;
}

const marked = (kind: string, marker: RegExp, source: string, before: number, keep?: RegExp): MarkedFormat => ({
	kind,
	marker,
	source,
	before,
	...(keep && { keep }),
});

export const MARKED_FORMATS: readonly MarkedFormat[] = [
	marked("terraform-token", /\.atlasv1\./g, raw`[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,80}`, 14),
	marked("telegram-token", /:AA/g, raw`\d{8,10}:AA[\w-]{33}(?![\w-])`, 10),
	marked("mailchimp-key", /-us\d/g, raw`[0-9a-f]{32}-us\d{1,2}(?!\w)`, 32),
	marked("azure-secret", /\dQ~/g, raw`[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~-])`, 3),
	marked("azure-key", /JQQJ99/g, raw`[A-Za-z0-9]{40,80}JQQJ99[A-Za-z0-9]{18,30}(?!\w)`, 80),
	marked(
		"azure-key",
		/\+(?:ACR|ASt|AMC|AEh|ARm|AIoT|ACDb|ABa|APIM)/g,
		raw`[A-Za-z0-9+/]{30,90}\+A[A-Za-z]{2,3}[A-Za-z0-9+/=]{6,12}`,
		90,
	),
	marked("maxmind-key", /_mmk/g, raw`[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\w)`, 36),
	marked("newrelic-key", /FFFFNRAL/g, raw`(?:eu01xx)?[0-9a-f]{26,36}FFFFNRAL`, 36),
	marked("newrelic-key", /-NRMA/g, raw`(?:AA|eu01xx)[0-9a-f]{34,42}-NRMA`, 44),
	marked("rapidapi-key", /p1[0-9a-f]{5}jsn/g, raw`[0-9a-f]{10}msh[0-9a-f]{15}p1[0-9a-f]{5}jsn[0-9a-f]{12}(?!\w)`, 28),
	marked(
		"webhook",
		/\.webhook\.office\.com\//g,
		raw`[\w-]{1,60}\.webhook\.office\.com/webhookb2/[\w@/-]{40,300}`,
		60,
		/^.+?\/\w+\//,
	),
	marked(
		"webhook",
		/\.tines\.com\/webhook\//g,
		raw`[\w-]{1,60}\.tines\.com/webhook/[0-9a-f]{32}/[0-9a-f]{32}`,
		60,
		/^.+?\/\w+\//,
	),
	marked("facebook-token", /\d\|[\w-]/g, raw`\d{14,16}\|[\w-]{26,40}(?![\w-])`, 16),
	marked("asana-token", /\d:[0-9a-f]{32}/g, raw`\d{15,17}:[0-9a-f]{32}(?!\w)`, 17),
	marked("ghost-key", /:[0-9a-f]{64}/g, raw`[0-9a-f]{24}:[0-9a-f]{64}(?!\w)`, 24),
	marked("mailgun-key", /[0-9a-f]-[0-9a-f]{8}-[0-9a-f]{8}/g, raw`[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])`, 32),
	marked("webex-token", /_[A-Z0-9]{4}_[0-9a-f]{8}-/g, raw`[A-Za-z0-9]{64}_[A-Z0-9]{4}_${UUID_FORMAT}`, 64),
	marked("tableau-token", /==:/g, raw`[A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32}(?!\w)`, 22),
];
