import { raw, UUID_FORMAT } from "../token-format.ts";

/** Formats that begin with any character: the search finds their marker, and then their beginning before it. */
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
	marked("telegram-token", /:AA/g, raw`\d{8,10}:AA[\w-]{32,34}(?![\w-])`, 10),
	marked("mailchimp-key", /-us\d/g, raw`[0-9a-f]{32}-us\d{1,2}(?!\w)`, 32),
	marked("azure-secret", /\dQ~/g, raw`[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~-])`, 3),
	marked("azure-key", /JQQJ99/g, raw`[A-Za-z0-9]{40,80}JQQJ99[A-Za-z0-9]{18,30}(?!\w)`, 80),
	marked(
		"azure-key",
		/\+(?:ACR|ASt|AMC|AEh|ARm|AIoT|ACDb|ABa|APIM)/g,
		raw`[A-Za-z0-9+/]{30,90}\+A[A-Za-z]{2,3}[A-Za-z0-9+/=]{6,12}`,
		90,
	),
	// The keys of Microsoft's services name the service near their end.
	marked(
		"azure-key",
		/A(?:zSe|zFu|zCa|zEG|IoT|CDb|CRA|PIM|MLS|ZDO)/g,
		raw`[\w+/-]{33,80}A(?:zSe|zFu|zCa|zEG|IoT|CDb|CRA|PIM|MLS|ZDO)[\w+/-]{4,8}={0,2}(?![\w+/=-])`,
		80,
	),
	marked("maxmind-key", /_mmk/g, raw`[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\w)`, 36),
	marked("newrelic-key", /NRAL/g, raw`(?:eu01xx)?[0-9a-f]{26,36}(?:FFFF)?NRAL(?!\w)`, 36),
	marked("newrelic-key", /-NRMA/g, raw`(?:AA|eu01xx)[0-9a-f]{34,42}-NRMA`, 44),
	marked("rapidapi-key", /p1[0-9a-f]{5}jsn/g, raw`[0-9a-f]{10}msh[0-9a-f]{15}p1[0-9a-f]{5}jsn[0-9a-f]{12}(?!\w)`, 28),
	marked(
		"webhook",
		/\.webhook\.office\.com\//g,
		raw`[\w-]{1,60}\.webhook\.office\.com/webhookb2/[\w@/-]{40,300}`,
		60,
		/^.+?\/\w+\//,
	),
	marked("webhook", /office\.com\/webhook\//g, raw`outlook\.office\.com/webhook/[\w@/-]{40,300}`, 8, /^.+?\/\w+\//),
	marked(
		"webhook",
		/\.tines\.com\/webhook\//g,
		raw`[\w-]{1,60}\.tines\.com/webhook/[0-9a-f]{32}/[0-9a-f]{32}`,
		60,
		/^.+?\/\w+\//,
	),
	marked("facebook-token", /\d\|[\w-]/g, raw`\d{14,16}\|[\w-]{26,40}(?![\w-])`, 16),
	marked("asana-token", /\d:[0-9a-f]{32}/g, raw`\d{15,17}:[0-9a-f]{32}(?!\w)`, 17),
	marked("fal-key", /-[0-9a-f]{12}:[0-9a-f]{32}/g, raw`${UUID_FORMAT}:[0-9a-f]{32}(?!\w)`, 24),
	marked("ghost-key", /:[0-9a-f]{64}/g, raw`[0-9a-f]{24}:[0-9a-f]{64}(?!\w)`, 24),
	marked("mailgun-key", /[0-9a-f]-[0-9a-f]{8}-[0-9a-f]{8}/g, raw`[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])`, 32),
	marked("webex-token", /_[A-Z0-9]{4}_[0-9a-f]{8}-/g, raw`[A-Za-z0-9]{64}_[A-Z0-9]{4}_${UUID_FORMAT}`, 64),
	marked("tableau-token", /==:/g, raw`[A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32}(?!\w)`, 22),
];
