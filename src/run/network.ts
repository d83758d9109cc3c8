/** What processes of a child's tools may reach: nothing, everything, or these hosts alone. */
export type NetworkSetting = "off" | "on" | readonly string[];

/** `example.com`, an address like `10.0.0.5`, or `*.example.com` for every name below it. */
export const HOST_PATTERN = /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/i;

/** Whether a pattern of a list stands for a host, or for every host of another pattern. `*.a.b` does not stand for `a.b`. */
export function coversHost(pattern: string, host: string): boolean {
	const [known, asked] = [pattern.toLowerCase(), host.toLowerCase()];
	return known === asked || (known.startsWith("*.") && asked.endsWith(known.slice(1)));
}

/** What both settings allow. */
export function narrowerNetwork(one: NetworkSetting, other: NetworkSetting): NetworkSetting {
	if (one === "off" || other === "off") return "off";
	if (one === "on") return other;
	if (other === "on") return one;
	const both = [
		...one.filter((host) => other.some((pattern) => coversHost(pattern, host))),
		...other.filter((host) => one.some((pattern) => coversHost(pattern, host))),
	];
	return both.length === 0 ? "off" : [...new Set(both)];
}
