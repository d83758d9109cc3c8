import { expect, test } from "vitest";
import { coversHost, type NetworkSetting, narrowerNetwork } from "../../src/run/network.ts";

test.each([
	["example.com", "example.com", true],
	["Example.com", "eXample.COM", true],
	["example.com", "www.example.com", false],
	["example.com", "example.com.evil.net", false],
	["*.example.com", "www.example.com", true],
	["*.example.com", "a.b.example.com", true],
	["*.example.com", "*.b.example.com", true],
	["*.example.com", "example.com", false],
	["*.example.com", "notexample.com", false],
	["*.b.example.com", "*.example.com", false],
])("%s stands for %s: %s", (pattern, host, expected) => {
	expect(coversHost(pattern, host)).toBe(expected);
});

test.each<[NetworkSetting, NetworkSetting, NetworkSetting]>([
	["off", "on", "off"],
	["off", ["a.b"], "off"],
	["on", "on", "on"],
	["on", ["a.b"], ["a.b"]],
	[["a.b"], ["a.b", "c.d"], ["a.b"]],
	[["a.b"], ["c.d"], "off"],
	[["*.a.b"], ["x.a.b", "a.b"], ["x.a.b"]],
])("%j and %j allow %j, whichever comes first", (one, other, both) => {
	expect(narrowerNetwork(one, other)).toEqual(both);
	expect(narrowerNetwork(other, one)).toEqual(both);
});
