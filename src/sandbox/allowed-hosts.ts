import { type LookupAddress, lookup as lookUp } from "node:dns";
import { isIP } from "node:net";
import { isPublicAddress } from "../net/addresses.ts";
import { coversHost } from "../run/network.ts";

type LookupAnswer = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** The hosts of a list, by name. */
export class AllowedHosts {
	readonly #list: readonly string[];
	readonly #onRefused: (host: string) => void;

	/** `onRefused` receives each requested host that is not allowed. */
	constructor(list: readonly string[], onRefused: (host: string) => void) {
		this.#list = list;
		this.#onRefused = onRefused;
	}

	/** An IP address must be on the list itself. */
	mayReach(host: string): boolean {
		const name = host.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
		const isListed = (pattern: string) => (isIP(name) === 0 ? coversHost(pattern, name) : pattern === name);
		const may = this.#list.some(isListed);
		if (!may) this.#onRefused(name);
		return may;
	}

	/**
	 * As Node's `lookup`. The owner of a name on the list may point it at this machine or its network, so such an address
	 * counts only if it is on the list too.
	 */
	readonly lookup = (name: string, options: { all?: boolean; family?: number }, answer: LookupAnswer): void => {
		lookUp(name, { family: options.family ?? 0, all: true }, (error, found) => {
			if (error) return answer(error, []);
			const allowed = found.filter(({ address }) => isPublicAddress(address) || this.#list.includes(address));
			const [first] = allowed;
			if (!first) {
				this.#onRefused(`${name} (${found.map(({ address }) => address).join(", ")})`);
				return answer(Object.assign(new Error(`${name} is on a private network.`), { code: "ENOTFOUND" }), []);
			}
			if (options.all) answer(null, allowed);
			else answer(null, first.address, first.family);
		});
	};
}
