import { describe, expect, test } from "vitest";
import { isPublicAddress } from "../../src/net/addresses.ts";
import { createGuardedFetch } from "../../src/web/net/guarded-fetch.ts";
import fc from "../helpers/fast-check.ts";
import { plainly } from "../web/local-web.ts";

const NOT_PUBLIC = [
	...["127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
	...["169.254.169.254", "169.254.0.1", "100.64.0.1", "100.127.255.255", "100.100.100.200", "192.0.0.192"],
	...["192.0.2.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "192.88.99.1", "224.0.0.1"],
	...["239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16"],
	...["::", "::1", "::127.0.0.1", "::10.0.0.1", "::ffff:127.0.0.1", "::ffff:a00:1", "::ffff:0:127.0.0.1"],
	...["64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:808:808::1", "2001::1"],
	...["2001:0:7f00:1::", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "3fff::1", "100::1", "5f00::1"],
	...["fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "4000::1"],
	...["2600::5efe:7f00:1", "2600::200:5efe:a00:1", "", "localhost", "8.8.8.8.", "1.2.3", "[::1]"],
];

const PUBLIC = ["8.8.8.8", "1.1.1.1", "93.184.215.14", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1"].concat([
	"2606:4700::1111",
	"2a00:1450:4001::1",
	"2001:4860:4860::8888",
]);

test.each(NOT_PUBLIC)("%s is not public", (address) => expect(isPublicAddress(address)).toBe(false));
test.each(PUBLIC)("%s is public", (address) => expect(isPublicAddress(address)).toBe(true));

/** No name resolves here and nothing is public by accident: what passes has passed the check of literal addresses. */
const fetch = createGuardedFetch({ resolve: async () => ["127.0.0.1"], isPublic: isPublicAddress });
const codeOf = async (url: string) => {
	const parsed = URL.parse(url);
	if (!parsed) return "not an address";
	return fetch({ ...plainly, url: parsed, timeoutMs: 1_000 }).then(
		() => "fetched",
		(error: { code: string }) => error.code,
	);
};

const SPELLINGS = [
	...["http://127.0.0.1/", "http://127.1/", "http://127.0.1/", "http://2130706433/", "http://0x7f000001/"],
	...["http://0177.0.0.1/", "http://0x7f.0.0.1/", "http://017700000001/", "http://127.0.0.1./", "http://0/"],
	...["http://127.0.0.1:80/", "http://127.0.0.1:8080/x?y#z", "http://localhost/", "http://LOCALHOST./"],
	...["http://sub.localhost/", "http://[::1]/", "http://[::]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::127.0.0.1]/"],
	...["http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[64:ff9b::127.0.0.1]/", "http://[fe80::1]/"],
	...["http://[2002:7f00:1::]/", "http://[fd00:ec2::254]/", "http://169.254.169.254/latest/meta-data/"],
	...["http://0xa9fea9fe/", "http://2852039166/", "http://①②⑦.0.0.1/", "http://127。0。0。1/", "http://１27.0.0.1/"],
	...["https://10.0.0.1/", "http://192.168.0.1:3000", "http://100.64.0.1/", "http://198.18.0.1/", "http://0.0.0.0:22/"],
	...["http://127.0.0.1\t/", "http:\\\\127.0.0.1\\", "http:127.0.0.1", "http://%31%32%37.0.0.1/", "http:///127.0.0.1/"],
	...["http://example.com.internal/", "http://127.0.0.1.nip.io/", "http://255.255.255.255/", "http://[ff02::1]/"],
];

describe("an address however it is spelled", () => {
	test.each(SPELLINGS)("%j does not get through", async (url) => {
		expect(await codeOf(url)).toBe("PRIVATE_NETWORK_BLOCKED");
	});

	test("at random: no spelling of a private address gets through", async () => {
		const part = fc.integer({ min: 0, max: 255 });
		const privateIpv4 = fc.oneof(
			fc.tuple(fc.constantFrom(127, 10, 0), part, part, part),
			fc.tuple(fc.constant(169), fc.constant(254), part, part),
			fc.tuple(fc.constant(192), fc.constant(168), part, part),
			fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), part, part),
			fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), part, part),
			fc.tuple(fc.integer({ min: 224, max: 255 }), part, part, part),
		);
		const spell = fc.constantFrom<(n: number) => string>(
			(n) => String(n),
			(n) => `0x${n.toString(16)}`,
			(n) => `0${n.toString(8)}`,
			(n) => `0X${n.toString(16).toUpperCase()}`,
		);
		const hex = (a: number, b: number) => ((a << 8) | b).toString(16);
		const host = fc.tuple(privateIpv4, spell, spell, fc.nat(8)).map(([[a, b, c, d], first, second, form]) => {
			const forms = [
				[first(a), second(b), first(c), second(d)].join("."),
				[first(a), second(b), first(c * 256 + d)].join("."),
				[first(a), second(b * 65536 + c * 256 + d)].join("."),
				first(a * 2 ** 24 + b * 65536 + c * 256 + d),
				`${[a, b, c, d].join(".")}.`,
				`[::ffff:${a}.${b}.${c}.${d}]`,
				`[::${hex(a, b)}:${hex(c, d)}]`,
				`[64:ff9b::${hex(a, b)}:${hex(c, d)}]`,
				`[2002:${hex(a, b)}:${hex(c, d)}::1]`,
			];
			return forms[form] ?? "localhost";
		});
		const prefix = fc.constantFrom("http://", "https://", "HTTP:\\\\", "http:/");
		const suffix = fc.constantFrom("", "/", ":80/", ":8443/a?b=http://8.8.8.8/", "#@8.8.8.8", "/%2e%2e//8.8.8.8");
		await fc.assert(
			fc.asyncProperty(prefix, host, suffix, async (before, name, after) => {
				expect(await codeOf(`${before}${name}${after}`)).toBe("PRIVATE_NETWORK_BLOCKED");
			}),
			{ numRuns: 1_000 },
		);
	});
});
