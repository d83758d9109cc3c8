import { HOST_PATTERN, type NetworkSetting } from "../run/network.ts";
import type { FieldsByKey } from "./fields.ts";

/** Undefined: the configuration decides. An unreadable value is reported elsewhere, as a restriction. */
export function readNetwork(fields: FieldsByKey): NetworkSetting | undefined {
	const field = fields.get("network");
	if (field === undefined || field.value === null) return undefined;
	return networkOf(field.value) ?? "off";
}

/** The setting that a value of the field stands for. Undefined: unknown. */
export function networkOf(value: unknown): NetworkSetting | undefined {
	if (value === "on" || value === true) return "on";
	if (value === "off" || value === false) return "off";
	const items: unknown[] = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [undefined];
	if (!items.every((item) => typeof item === "string")) return undefined;
	const hosts = items.map((item) => item.trim()).filter((item) => item !== "");
	// A single word is more likely a misspelt setting than the name of a machine.
	const isHost = (host: string) => HOST_PATTERN.test(host) && (Array.isArray(value) || host.includes("."));
	if (!hosts.every(isHost)) return undefined;
	return hosts.length === 0 ? "off" : [...new Set(hosts)];
}
