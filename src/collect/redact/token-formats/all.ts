import type { TokenFormat } from "../token-format.ts";
import { OF_ACCESS } from "./access.ts";
import { OF_NO_SERVICE } from "./anywhere.ts";
import { OF_CLOUDS } from "./clouds.ts";
import { OF_CODE_HOSTS } from "./code-hosts.ts";
import { OF_MESSAGES } from "./messages.ts";
import { OF_MODELS } from "./models.ts";
import { OF_PAYMENT } from "./payment.ts";
import { OF_PROGRAMS } from "./programs.ts";
import { OF_SMALL_SERVICES } from "./small-services.ts";
import { OF_WORK } from "./work.ts";

/**
 * Formats from the vendors' documentation and from the public rule lists of gitleaks, trufflehog, noseyparker and
 * kingfisher, which were read for prefixes, lengths and alphabets. A format with a short prefix must end where the word
 * does, or contain a digit. Of two formats that fit, the first counts.
 */
export const TOKEN_FORMATS: readonly TokenFormat[] = [
	...OF_CODE_HOSTS,
	...OF_CLOUDS,
	...OF_MODELS,
	...OF_PAYMENT,
	...OF_MESSAGES,
	...OF_WORK,
	...OF_ACCESS,
	...OF_NO_SERVICE,
	...OF_SMALL_SERVICES,
	...OF_PROGRAMS,
];
