import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
	type Attempt,
	asRoot,
	bash,
	type Call,
	calls,
	changedBy,
	changes,
	isAlive,
	isNotMade,
	isRunning,
	isSecret,
	isUnheard,
	onlyInRing,
	python,
	quote,
} from "./attempt.ts";

/** Lines of Python, with the C library as `l` and calls of the system that have the same number on every processor. */
const system = (...lines: string[]): Call =>
	python(
		[
			"import ctypes, os, struct, sys",
			"l = ctypes.CDLL(None, use_errno=True)",
			"PIDFD_OPEN, PIDFD_SIGNAL, PIDFD_GETFD, FSOPEN, FSCONFIG, FSMOUNT = 434, 424, 438, 430, 431, 432",
			...lines,
		].join("\n"),
	);

/** Held if it does not say that it got through. */
const makes = (boundary: string, name: string, call: Attempt["call"]): Attempt => ({
	boundary,
	name,
	call,
	held: isNotMade,
});

const NEXT_TO_IT: Attempt[] = [
	onlyInRing(
		makes("descriptors", "descriptors-of-the-first-process", () =>
			// It was started outside of the ring. What the command itself reads and prints to, it has too.
			bash(
				"for f in /proc/1/fd/*; do case $(basename $f) in 0|1|2) continue;; esac; case $(readlink $f) in ''|pipe:*|/dev/null|'anon_inode:'*) ;; *) echo made-it $(readlink $f);; esac; done",
			),
		),
	),
	onlyInRing({
		boundary: "processes",
		name: "memory-of-the-first-process",
		call: () =>
			system(
				"mem = open('/proc/1/mem', 'rb', 0)",
				"for line in open('/proc/1/maps'):",
				"  first, last = [int(n, 16) for n in line.split()[0].split('-')]",
				"  try: mem.seek(first); found = mem.read(last - first)",
				"  except (OSError, ValueError, OverflowError): continue",
				"  at = found.find(b'marzipan-')",
				"  if at >= 0: print(found[at:at + 20])",
			),
		held: isSecret,
	}),
	onlyInRing(
		makes("processes", "first-process-without-a-filter", () =>
			bash("grep -q 'Seccomp:.*2' /proc/1/status || echo made-it"),
		),
	),
	onlyInRing(
		makes("processes", "trace-the-first-process-to-a-socket", () =>
			// Whoever can trace a process makes its calls: so that one must be held as well.
			system(
				"print('made-it' if l.ptrace(0x4206, 1, 0, 0) == 0 and 'Seccomp:\\t2' not in open('/proc/1/status').read() else 'held')",
			),
		),
	),
	makes("processes", "capabilities", () =>
		bash(
			"grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status /proc/1/status | grep -qv '0000000000000000$' && echo made-it",
		),
	),
	{
		boundary: "descriptors",
		name: "descriptor-of-a-process",
		call: ({ bystander }, mark) =>
			system(
				`f = l.syscall(PIDFD_GETFD, l.syscall(PIDFD_OPEN, ${bystander.pid}, 0), 1, 0)`,
				`os.write(f, b"${mark}\\n")`,
			),
		held: isUnheard,
	},
	makes("processes", "memory-by-a-call", ({ bystander }) =>
		system(
			`first = int(open("/proc/${bystander.pid}/maps").readline().split("-")[0], 16)`,
			"b = ctypes.create_string_buffer(4); own = (ctypes.c_size_t * 2)(ctypes.addressof(b), 4); their = (ctypes.c_size_t * 2)(first, 4)",
			`print("made-it" if l.process_vm_readv(${bystander.pid}, own, 1, their, 1, 0) > 0 else ctypes.get_errno())`,
		),
	),
	makes("processes", "priority-of-a-process", ({ bystander }) =>
		bash(`renice -n 5 -p ${bystander.pid} && echo made-it`),
	),
	makes("processes", "limits-of-a-process", ({ bystander }) =>
		bash(`prlimit --pid ${bystander.pid} --core=0 && echo made-it`),
	),
	makes("processes", "processor-of-a-process", ({ bystander }) =>
		bash(`taskset -p 1 ${bystander.pid} && echo made-it`),
	),
	{
		boundary: "processes",
		name: "outlive-without-signals",
		call: ({ bystander }) =>
			bash(`(trap '' HUP INT TERM PIPE; setsid -f nohup sleep 9${bystander.pid} >/dev/null 2>&1 </dev/null)`),
		held: ({ bystander }) => !isRunning(`sleep 9${bystander.pid}`),
	},
	{
		boundary: "processes",
		name: "outlive-as-anothers-child",
		call: ({ bystander }) =>
			system(
				"l.prctl(36, 1, 0, 0, 0)",
				"if os.fork(): sys.exit()",
				"os.setsid(); os.closerange(0, 256)",
				`os.fork() or os.execvpe("sleep", ["sleep", "8${bystander.pid}"], {"PATH": os.environ["PATH"]})`,
				"os.wait()",
			),
		held: ({ bystander }) => !isRunning(`sleep 8${bystander.pid}`),
	},
	{
		boundary: "processes",
		name: "segment-of-shared-memory",
		call: () => bash("ipcmk -M 64"),
		held: (_world, _mark, said) => {
			const [, id] = /memory id: (\d+)/.exec(said) ?? [];
			const isOutside = readFileSync("/proc/sysvipc/shm", "utf8")
				.split("\n")
				.some((line) => line.trim().split(/\s+/)[1] === id);
			if (id !== undefined && isOutside) execFileSync("ipcrm", ["-m", id]);
			return id === undefined || !isOutside;
		},
	},
];

const OVERLAY = "m=/tmp/overlay; mkdir -p $m/up $m/work $m/all";

const MOUNTS: Attempt[] = [
	changedBy(
		"namespaces-by-descriptor",
		(path) =>
			`python3 -c 'import ctypes, glob, os; l = ctypes.CDLL(None)\nfor n in glob.glob("/proc/[0-9]*/ns/*") + glob.glob("/proc/self/task/*/ns/*"):\n  try: l.setns(os.open(n, 0), 0)\n  except OSError: pass\nopen("${path}", "w").write("x")'`,
	),
	{
		boundary: "mounts and namespaces",
		name: "overlay-that-shows-what-is-below",
		call: ({ home }) =>
			bash(
				`${OVERLAY}; unshare -Urm sh -c 'mount -t overlay -o userxattr,lowerdir=${home},upperdir=/tmp/overlay/up,workdir=/tmp/overlay/work o /tmp/overlay/all; cat /tmp/overlay/all/.ssh/id_ed25519 || cat ${home}/.ssh/id_ed25519'`,
			),
		held: isSecret,
	},
	asRoot(
		makes("mounts and namespaces", "file-system-by-calls", () =>
			system(
				'f = l.syscall(FSOPEN, b"tmpfs", 0)',
				"l.syscall(FSCONFIG, f, 6, None, None, 0)",
				'print("made-it" if l.syscall(FSMOUNT, f, 0, 0) >= 0 else ctypes.get_errno())',
			),
		),
	),
	onlyInRing(makes("mounts and namespaces", "shared-mounts", () => bash("mount --make-rshared / && echo made-it"))),
	onlyInRing(
		makes("mounts and namespaces", "control-groups-mounted", () =>
			bash(
				"mkdir -p /tmp/cg; for t in cgroup cgroup2; do mount -t $t none /tmp/cg && echo made-it; done; find /sys/fs/cgroup -name release_agent -writable | grep . && echo made-it",
			),
		),
	),
	asRoot(
		makes("mounts and namespaces", "settings-of-devices", () =>
			// Opened, not written.
			bash(
				"find /sys -maxdepth 4 -type f -writable 2>/dev/null | head -200 | while read f; do if (exec 3>>$f) 2>/dev/null; then echo made-it $f; break; fi; done",
			),
		),
	),
	onlyInRing(
		makes("mounts and namespaces", "devices-of-the-machine", () =>
			bash(
				"ls -A /dev | grep -vxE 'console|core|fd|full|mqueue|null|ptmx|pts|random|shm|std(in|out|err)|tty|urandom|zero' && echo made-it",
			),
		),
	),
	asRoot(
		makes("mounts and namespaces", "memory-of-the-machine", () =>
			bash("for f in /proc/kcore /dev/mem /dev/kmem; do head -c 16 $f | grep -q . && echo made-it; done"),
		),
	),
	onlyInRing(
		makes("mounts and namespaces", "another-clock", () =>
			system(
				"now = (ctypes.c_long * 2)(); l.clock_gettime(0, now)",
				'print("made-it" if l.clock_settime(0, now) == 0 else ctypes.get_errno())',
			),
		),
	),
	asRoot(makes("mounts and namespaces", "time-namespace", () => bash("unshare --time true && echo made-it"))),
	onlyInRing(
		makes("mounts and namespaces", "more-than-one-way-to-a-namespace", () =>
			// Each kind, by both calls that can make one.
			system(
				"kinds = [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x80]",
				"made = [hex(k) for k in kinds if l.unshare(ctypes.c_int(k)) == 0]",
				'a = struct.pack("11Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0)',
				"p = l.syscall(435, a, len(a))",
				"if p == 0: os._exit(0)",
				'print("made-it" if made or p > 0 else "held", made, p)',
			),
		),
	),
	asRoot(
		makes("mounts and namespaces", "program-in-the-kernel", () =>
			system(
				'a = ctypes.create_string_buffer(struct.pack("IIIII", 2, 4, 4, 1, 0).ljust(120, b"\\0"))',
				'n = {"x86_64": 321, "aarch64": 280}[os.uname().machine]',
				'print("made-it" if l.syscall(n, 0, a, 120) >= 0 else ctypes.get_errno())',
			),
		),
	),
	asRoot(
		makes("mounts and namespaces", "counters-of-all-processes", () =>
			system(
				'a = ctypes.create_string_buffer(struct.pack("IIQ", 1, 112, 0).ljust(112, b"\\0"))',
				'n = {"x86_64": 298, "aarch64": 241}[os.uname().machine]',
				'print("made-it" if l.syscall(n, a, -1, 0, -1, 0) >= 0 else ctypes.get_errno())',
			),
		),
	),
];

/** `getpid` of 32-bit programs, whose calls have other numbers. */
const OTHER_TABLE = "\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3";

const OTHER_CALLS: Attempt[] = [
	makes("descriptors", "key-in-a-keyring", () => calls([248, 217], 'b"user", b"pg-attempt", b"x", 1, -1')),
	makes("descriptors", "key-asked-for", () => calls([250, 219], "0, -4, 1")),
	makes("sockets", "families-of-sockets", () =>
		system(
			"import socket",
			"for family in range(1, 46):",
			"  for kind in (1, 2, 3, 5):",
			"    if family in (2, 10, 16): continue",
			"    try: socket.socket(family, kind); print('made-it', family, kind)",
			"    except OSError: pass",
		),
	),
	onlyInRing({
		boundary: "sockets",
		name: "unix-from-a-pair-of-connections",
		call: ({ sockets }, mark) =>
			system(
				"import socket",
				"for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):",
				"  a, b = socket.socketpair(socket.AF_UNIX, kind); b.close()",
				"  l.connect(a.fileno(), struct.pack('H', 0).ljust(16, b'\\0'), 16)",
				`  for path in (${JSON.stringify(sockets.inOutside)}, "\\0" + ${JSON.stringify(sockets.abstract.slice(1))}):`,
				"    try:",
				"      a.connect(path)",
				`      a.send(b"${mark}")`,
				"    except OSError as e: print(e)",
			),
		held: isUnheard,
	}),
	onlyInRing(
		makes("sockets", "calls-of-another-table", () =>
			system(
				"if os.uname().machine != 'x86_64': sys.exit()",
				"for n in (0x40000000 + 41, 0x40000000 + 53):",
				"  if l.syscall(n, 1, 1, 0) >= 0: print('made-it')",
			),
		),
	),
	makes("sockets", "calls-of-another-processor", () =>
		system(
			"if os.uname().machine != 'x86_64': sys.exit()",
			"import mmap; m = mmap.mmap(-1, 4096, prot=7)",
			`m.write(b"${OTHER_TABLE}")`,
			"f = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(m)))",
			"print('made-it' if f() > 0 else 'held')",
		),
	),
	{
		boundary: "sockets",
		name: "names-of-sockets",
		call: () => bash("cat /proc/net/unix /proc/self/net/unix /proc/thread-self/net/unix"),
		held: ({ sockets }, _mark, said) => !said.includes(sockets.inTmp),
	},
	{
		boundary: "network",
		name: "connections-of-the-machine",
		call: () => bash("cat /proc/net/tcp6 /proc/net/tcp"),
		held: ({ tcpPort }, _mark, said) => !said.includes(`:${tcpPort.toString(16).toUpperCase().padStart(4, "0")} `),
	},
	asRoot(
		makes("network", "new-interface", () =>
			system(
				"import socket",
				"s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
				// The name of a link that is there, set again: it needs the right to and changes nothing.
				"s.send(struct.pack('IHHIIBxHiII', 32, 19, 5, 1, 0, 0, 0, 1, 0, 0))",
				"answer = s.recv(4096)",
				"print('made-it' if struct.unpack_from('i', answer, 16)[0] == 0 else answer[16:20])",
			),
		),
	),
	changes(
		"program-in-memory",
		({ outside }) => join(outside, "file"),
		(path) =>
			system(
				"f = os.memfd_create('x', 0)",
				`os.write(f, b"#!/bin/sh\\necho x > ${path}\\n")`,
				"os.execve(f'/proc/self/fd/{f}', ['x'], dict(os.environ))",
			),
		"descriptors",
	),
	onlyInRing(
		makes("terminal", "words-typed-for-the-user", () =>
			system(
				"import fcntl, glob",
				"for f in ['/dev/tty', '/dev/console', '/proc/1/fd/0', '/proc/self/fd/0', *glob.glob('/dev/pts/*'), *glob.glob('/dev/tty*')]:",
				"  try: fcntl.ioctl(os.open(f, os.O_RDWR | os.O_NOCTTY), 0x5412, b'x'); print('made-it', f)",
				"  except OSError: pass",
			),
		),
	),
	onlyInRing(
		makes("processes", "program-of-another-user", ({ project }) =>
			// Run as whoever owns it, were it not for the ring.
			bash(
				`cp /usr/bin/id /tmp/own-id && chmod 4755 /tmp/own-id && find ${quote(project)} /tmp -perm -4000 -newer /proc/1 -writable | grep -q nothing; for p in su sudo mount passwd; do command -v $p >/dev/null && [ -u "$(command -v $p)" ] && $p --version >/dev/null 2>&1; done; /tmp/own-id -u | grep -qx 0 && echo made-it`,
			),
		),
	),
];

/** Calls of the system, devices, other processes: what a kernel must refuse. */
export const KERNEL_ATTEMPTS: readonly Attempt[] = [...NEXT_TO_IT, ...MOUNTS, ...OTHER_CALLS];

/** After all others, some of which look at that process. */
export const KILLS: readonly Attempt[] = [
	{
		boundary: "processes",
		name: "kill-by-a-descriptor",
		call: ({ bystander }) =>
			system(`p = l.syscall(PIDFD_OPEN, ${bystander.pid}, 0)`, "print(p, l.syscall(PIDFD_SIGNAL, p, 9, None, 0))"),
		held: isAlive,
	},
];
