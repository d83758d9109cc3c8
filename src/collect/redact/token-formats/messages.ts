import { AN, digits, ENDS, format, raw, type TokenFormat, UUID_FORMAT } from "../token-format.ts";

/** Mail, messages and support. */
export const OF_MESSAGES: readonly TokenFormat[] = [
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
];
