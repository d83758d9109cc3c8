import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Global unicast. The rest of IPv6 is special or unassigned, including IPv4-compatible addresses (`::127.0.0.1`). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Azure's platform service: its address looks public, but answers only to the virtual machine. */
const CLOUD_PLATFORM = new Set(["168.63.129.16"]);

/**
 * Whether an address belongs to the public internet. Anything that is not known to be public does not: loopback, private,
 * link-local, carrier-grade NAT, benchmarking, documentation, multicast, and the IPv6 ranges that contain an IPv4 address
 * (mapped, NAT64, 6to4, Teredo), which could lead to any of these.
 */
export function isPublicAddress(address: string): boolean {
	if (isIP(address) === 0) return false;
	const parsed = ipaddr.parse(address);
	if (parsed.range() !== "unicast") return false;
	if (parsed instanceof ipaddr.IPv6)
		return parsed.match(GLOBAL_IPV6) && !isIsatap(parsed) && parsed.zoneId === undefined;
	return !CLOUD_PLATFORM.has(parsed.toString());
}

/** RFC 5214: an IPv4 address in the interface identifier. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;
