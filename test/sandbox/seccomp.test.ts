import { describe, expect, test } from "vitest";
import { socketFilter } from "../../src/sandbox/seccomp.ts";

/** Runs a filter as the kernel does, for the five instructions that it has. */
function verdict(program: Buffer, call: { arch: number; nr: number; first?: number; second?: number }): string {
	const data = Buffer.alloc(64);
	data.writeUInt32LE(call.nr, 0);
	data.writeUInt32LE(call.arch, 4);
	data.writeUInt32LE(call.first ?? 0, 16);
	data.writeUInt32LE(call.second ?? 0, 24);
	let accumulator = 0;
	for (let at = 0; at * 8 < program.length; at++) {
		const [code, ifTrue, ifFalse] = [program.readUInt16LE(at * 8), program[at * 8 + 2] ?? 0, program[at * 8 + 3] ?? 0];
		const value = program.readUInt32LE(at * 8 + 4);
		if (code === 0x20) accumulator = data.readUInt32LE(value);
		else if (code === 0x54) accumulator &= value;
		else if (code === 0x15) at += accumulator === value ? ifTrue : ifFalse;
		else if (code === 0x35) at += accumulator >= value ? ifTrue : ifFalse;
		else if (code === 0x06) {
			if (value === 0x7fff0000) return "allow";
			return value === 0x80000000 ? "kill" : `errno ${value & 0xffff}`;
		} else throw new Error(`unknown instruction ${code}`);
	}
	throw new Error("The filter has no end.");
}

const MACHINES = [
	{ name: "x64", arch: 0xc000003e, socket: 41, socketpair: 53, machine: [250, 298, 321, 103, 323], other: 0x40000003 },
	{
		name: "arm64",
		arch: 0xc00000b7,
		socket: 198,
		socketpair: 199,
		machine: [219, 241, 280, 116, 282],
		other: 0xc000003e,
	},
];

describe.each(MACHINES)("the filter of system calls on $name", ({ name, arch, socket, socketpair, machine, other }) => {
	const filter = (sockets: boolean) => socketFilter({ sockets, arch: name }) ?? Buffer.alloc(0);

	test("lets the internet through and nothing else that is a socket", () => {
		const families = (sockets: boolean) =>
			[1, 2, 10, 16, 17, 38, 40].map((first) => `${first} ${verdict(filter(sockets), { arch, nr: socket, first })}`);
		expect(families(false)).toEqual([
			...["1 errno 1", "2 allow", "10 allow", "16 allow", "17 errno 97", "38 errno 97", "40 errno 97"],
		]);
		expect(families(true)[0]).toBe("1 allow");
		expect(families(true).slice(1)).toEqual(families(false).slice(1));
	});

	test("has no keyrings, counters, programs and log of the kernel, and no other way to make sockets; other calls are let through", () => {
		expect(verdict(filter(false), { arch, nr: 425 })).toBe("errno 38");
		expect(new Set(machine.map((nr) => verdict(filter(false), { arch, nr })))).toEqual(new Set(["errno 38"]));
		expect(verdict(filter(false), { arch, nr: 0 })).toBe("allow");
		expect(verdict(filter(false), { arch, nr: socket - 1 })).toBe("allow");
	});

	test("makes pairs of connected sockets, and none that could send to another address", () => {
		const CLOSE_ON_EXEC = 0o2000000;
		const pair = (first: number, second: number, sockets = false) =>
			verdict(filter(sockets), { arch, nr: socketpair, first, second });
		const [stream, datagram, raw, seqpacket] = [1, 2, 3, 5];
		expect([stream, stream | CLOSE_ON_EXEC, seqpacket].map((type) => pair(1, type))).toEqual([
			"allow",
			"allow",
			"allow",
		]);
		expect([datagram, datagram | CLOSE_ON_EXEC, raw].map((type) => pair(1, type))).toEqual([
			"errno 1",
			"errno 1",
			"errno 1",
		]);
		expect(pair(30, stream)).toBe("errno 97");
		expect(pair(1, datagram, true)).toBe("allow");
	});

	test("ends programs of another architecture", () => {
		expect(verdict(filter(false), { arch: other, nr: socket, first: 1 })).toBe("kill");
	});
});

test("the second table of x86-64 is closed", () => {
	const filter = socketFilter({ sockets: false, arch: "x64" }) ?? Buffer.alloc(0);
	expect(verdict(filter, { arch: 0xc000003e, nr: 0x40000000 + 41, first: 1 })).toBe("errno 1");
});

test("there is none for a processor whose numbers are not known", () => {
	expect(socketFilter({ sockets: false, arch: "riscv64" })).toBeUndefined();
});
