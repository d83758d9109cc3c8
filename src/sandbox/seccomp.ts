/** The facts about a processor that the filter needs: the kernel's name for it, and the numbers of a few system calls. */
interface Architecture {
	audit: number;
	socket: number;
	socketpair: number;
	/**
	 * Calls that concern the whole machine, which no namespace isolates: kernel keyrings with the user's keys; counters and
	 * programs in the kernel, which see all processes if an administrator allows them; the kernel's log. Also `userfaultfd`,
	 * which attacks on the kernel use.
	 */
	aboutTheMachine: readonly number[];
	/** x86-64 has a second table of the same calls under other numbers. */
	x32: boolean;
}

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
	x64: {
		audit: 0xc000003e,
		socket: 41,
		socketpair: 53,
		aboutTheMachine: [248, 249, 250, 298, 321, 103, 323],
		x32: true,
	},
	arm64: {
		audit: 0xc00000b7,
		socket: 198,
		socketpair: 199,
		aboutTheMachine: [217, 218, 219, 241, 280, 116, 282],
		x32: false,
	},
};

/** The same number on every processor. It can make sockets without `socket`. */
const IO_URING_SETUP = 425;
const X32 = 0x40000000;

const FAMILY = { unix: 1, inet: 2, inet6: 10, netlink: 16 };

/** The rest of the argument contains flags. */
const TYPE_BITS = 0x0f;
const CONNECTED_TYPES = { stream: 1, seqpacket: 5 };

const LOAD = 0x20;
const AND = 0x54;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const fail = (errno: number): number => 0x00050000 | errno;
const EPERM = fail(1);
const ENOSYS = fail(38);
const EAFNOSUPPORT = fail(97);

/** The offsets in `struct seccomp_data`. The arguments are ints, so their low halves contain the whole value. */
const OFFSET = { call: 0, architecture: 4, firstArgument: 16, secondArgument: 24 };

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/**
 * A filter of system calls, which bubblewrap reads from a descriptor. It allows internet sockets only: a unix socket leads
 * to programs outside even where the file system is read-only, and a VM socket leads out of a network namespace.
 * `socketpair` stays allowed for connections, since both of their ends are inside and stay connected; an end of a datagram
 * pair could send to any address. Undefined for a processor whose numbers it does not have.
 */
export function socketFilter(options: { sockets: boolean; arch?: string }): Buffer | undefined {
	const architecture = ARCHITECTURES[options.arch ?? process.arch];
	if (!architecture) return undefined;
	const { audit, socket, socketpair, aboutTheMachine, x32 } = architecture;
	const families = [FAMILY.inet, FAMILY.inet6, FAMILY.netlink, ...(options.sockets ? [FAMILY.unix] : [])];
	return assembled([
		[LOAD, 0, 0, OFFSET.architecture],
		[IF_EQUAL, 1, 0, audit],
		[RETURN, 0, 0, KILL],
		[LOAD, 0, 0, OFFSET.call],
		...(x32 ? answer(IF_AT_LEAST, X32, EPERM) : []),
		...[IO_URING_SETUP, ...aboutTheMachine].flatMap((call) => answer(IF_EQUAL, call, ENOSYS)),
		...(options.sockets ? [] : pairsOfConnections(socketpair)),
		[IF_EQUAL, 1, 0, socket],
		[RETURN, 0, 0, ALLOW],
		[LOAD, 0, 0, OFFSET.firstArgument],
		...families.flatMap((family) => answer(IF_EQUAL, family, ALLOW)),
		...answer(IF_EQUAL, FAMILY.unix, EPERM),
		[RETURN, 0, 0, EAFNOSUPPORT],
	]);
}

function pairsOfConnections(socketpair: number): Instruction[] {
	const decision: Instruction[] = [
		[LOAD, 0, 0, OFFSET.firstArgument],
		[IF_EQUAL, 1, 0, FAMILY.unix],
		[RETURN, 0, 0, EAFNOSUPPORT],
		[LOAD, 0, 0, OFFSET.secondArgument],
		[AND, 0, 0, TYPE_BITS],
		...Object.values(CONNECTED_TYPES).flatMap((type) => answer(IF_EQUAL, type, ALLOW)),
		[RETURN, 0, 0, EPERM],
	];
	return [[IF_EQUAL, 0, decision.length, socketpair], ...decision];
}

const answer = (test: number, value: number, verdict: number): Instruction[] => [
	[test, 0, 1, value],
	[RETURN, 0, 0, verdict],
];

function assembled(program: readonly Instruction[]): Buffer {
	const bytes = Buffer.alloc(program.length * 8);
	for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
		bytes.writeUInt16LE(code, index * 8);
		bytes.writeUInt8(ifTrue, index * 8 + 2);
		bytes.writeUInt8(ifFalse, index * 8 + 3);
		bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
	}
	return bytes;
}
