import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
	type Attempt,
	asRoot,
	bash,
	type Call,
	calls,
	changes,
	creates,
	inCheckout,
	isAbsent,
	isNotMade,
	isSecret,
	isUnheard,
	onlyInRing,
	python,
	quote,
	reads,
} from "./attempt.ts";
import type { World } from "./world.ts";

/** Lines of Python, with the C library as `l`. A call that was let through says so. */
const system = (...lines: string[]): Call =>
	python(
		[
			"import ctypes, fcntl, os, socket, stat, struct, sys",
			"l = ctypes.CDLL(None, use_errno=True); l.syscall.restype = ctypes.c_long",
			"n = lambda *each: ctypes.c_long(each[0] if os.uname().machine == 'x86_64' else each[-1])",
			"def made(result): print('made-it' if result >= 0 else os.strerror(ctypes.get_errno()))",
			...lines,
		].join("\n"),
	);

const makes = (boundary: string, name: string, call: Attempt["call"]): Attempt => ({
	boundary,
	name,
	call,
	held: isNotMade,
});

/** The words of `/proc/<pid>/stat` after the name: the state first. */
const statusOf = ({ bystander }: World): string[] =>
	readFileSync(`/proc/${bystander.pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
const nicenessOf = (world: World): number => Number(statusOf(world)[16]);

/** Whether it is not stopped. Then it runs again. */
function runs(world: World): boolean {
	const [state] = statusOf(world);
	world.bystander.kill("SIGCONT");
	return state !== "T";
}

/** Whether a file about the bystander says something else. */
const isOfBystander =
	(file: string, value: string) =>
	({ bystander }: World): boolean =>
		readFileSync(`/proc/${bystander.pid}/${file}`, "utf8").trim() !== value;

const PROCESSES: Attempt[] = [
	makes("processes", "host-by-the-other-end-of-a-pipe", () =>
		// What a command prints to is a socket, whose other end tells the process that made it.
		system(
			"for f in (1, 2):",
			"  try: p = struct.unpack('i', socket.socket(fileno=os.dup(f)).getsockopt(1, 77, 4))[0]",
			"  except OSError as e: print(e); continue",
			"  made(l.syscall(424, p, 0, None, 0))",
			"  for other in range(8): made(l.syscall(438, p, other, 0))",
			"  for kind in (0x20000, 0x40000000, 0x20000000): made(l.setns(p, kind))",
		),
	),
	onlyInRing({
		boundary: "processes",
		name: "priority-of-all-of-a-user",
		call: () => bash("renice -n 7 -u $(id -u); ionice -c 3 -u $(id -u)"),
		held: (world) => nicenessOf(world) !== 7,
	}),
	makes("processes", "scheduling-of-a-process", ({ bystander }) =>
		bash(`chrt -b -p 0 ${bystander.pid} && echo made-it; ionice -c 3 -p ${bystander.pid} && echo made-it`),
	),
	makes("processes", "comparison-with-a-process", ({ bystander }) =>
		calls([312, 272], `${bystander.pid}, ${bystander.pid}, 0, 0, 1`),
	),
	makes("processes", "locks-of-a-process", ({ bystander }) =>
		calls([274, 100], `${bystander.pid}, ctypes.byref(ctypes.c_void_p()), ctypes.byref(ctypes.c_size_t())`),
	),
	makes("processes", "pages-of-a-process", ({ bystander }) =>
		calls([279, 239], `${bystander.pid}, 0, None, None, None, 0`),
	),
	makes("processes", "files-of-a-process", ({ bystander }) =>
		bash(`ls /proc/${bystander.pid}/fd /proc/${bystander.pid}/map_files | grep -q 0 && echo made-it`),
	),
	{
		boundary: "processes",
		name: "who-dies-first",
		call: ({ bystander }) => bash(`echo 777 > /proc/${bystander.pid}/oom_score_adj`),
		held: isOfBystander("oom_score_adj", "777"),
	},
	{
		boundary: "processes",
		name: "what-a-crash-keeps",
		call: ({ bystander }) => bash(`echo 0x7f > /proc/${bystander.pid}/coredump_filter`),
		held: isOfBystander("coredump_filter", "0000007f"),
	},
	{
		boundary: "processes",
		name: "stop-a-process",
		call: ({ bystander }) => bash(`kill -STOP ${bystander.pid}; sleep 0.1`),
		held: runs,
	},
	{
		boundary: "processes",
		name: "stop-by-its-thread",
		call: ({ bystander }) => calls([200, 130], `${bystander.pid}, 19`),
		held: runs,
	},
	{
		boundary: "processes",
		name: "stop-by-a-file",
		// The owner of a file gets a signal when there is something to read.
		call: ({ bystander }) =>
			system(
				"r, w = os.pipe()",
				`fcntl.fcntl(r, 8, ${bystander.pid}); fcntl.fcntl(r, 10, 19)`,
				"fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC); os.write(w, b'x')",
			),
		held: runs,
	},
];

const CALLS: Attempt[] = [
	makes("processes", "faults-of-memory", () => calls([323, 282], "1")),
	onlyInRing(
		makes("processes", "counters-of-itself", () =>
			// On some machines whoever may count at all may look at every process.
			system(
				'a = ctypes.create_string_buffer(struct.pack("IIQ", 1, 112, 1).ljust(40, b"\\0") + struct.pack("Q", 0x60).ljust(72, b"\\0"))',
				"made(l.syscall(n(298, 241), a, 0, -1, -1, 0))",
			),
		),
	),
	onlyInRing(
		makes("mounts and namespaces", "words-of-the-kernel", () =>
			system("made(l.klogctl(3, ctypes.create_string_buffer(99), 99))"),
		),
	),
	onlyInRing(
		makes("mounts and namespaces", "objects-of-the-kernel", () =>
			system(
				// A map, which needs no rights where the kernel lets everybody.
				'a = ctypes.create_string_buffer(struct.pack("IIIII", 2, 4, 4, 1, 0).ljust(120, b"\\0"))',
				"result = l.syscall(n(321, 280), 0, a, 120)",
				"print('made-it' if result >= 0 else ctypes.get_errno())",
			),
		),
	),
	onlyInRing(
		makes("mounts and namespaces", "mounts-by-calls", () =>
			system(
				"made(l.syscall(442, -100, b'/', 0, struct.pack('QQQQ', 0, 1, 0, 0), 32))",
				"made(l.syscall(467, -100, b'/', 1, struct.pack('QQQQ', 0, 1, 0, 0), 32))",
				"made(l.syscall(433, -100, b'/', 0))",
				"made(l.syscall(429, -100, b'/tmp', -100, b'/var/tmp', 0))",
				"made(l.syscall(n(155, 41), b'/', b'/tmp'))",
			),
		),
	),
	asRoot(makes("mounts and namespaces", "root-of-its-own", () => system("made(l.chroot(b'/tmp'))"))),
	asRoot(makes("mounts and namespaces", "watch-on-all-files", () => calls([300, 262], "4, 0"))),
	onlyInRing(
		makes("mounts and namespaces", "namespace-above", () =>
			system(
				"for name in os.listdir('/proc/self/ns'):",
				"  for ask in (0xb701, 0xb702):",
				"    try:",
				"      above = fcntl.ioctl(os.open('/proc/self/ns/' + name, 0), ask)",
				"      if l.setns(above, 0) == 0: print('made-it', name)",
				"    except OSError: pass",
			),
		),
	),
	onlyInRing(
		makes("mounts and namespaces", "namespaces-by-their-handles", () =>
			// Those of the first processes of the machine have fixed numbers.
			system(
				"for number in range(0xeffffff8, 0xf0000000):",
				"  for kind in (0xf1, 0xfe, 1):",
				"    h = ctypes.create_string_buffer(struct.pack('IiQII', 16, kind, 0, 0, number).ljust(64, b'\\0'))",
				"    for root in (-10002, -10003):",
				"      f = l.syscall(n(304, 265), root, h, 0)",
				"      if f >= 0 and l.setns(f, 0) == 0: print('made-it', hex(number))",
			),
		),
	),
	onlyInRing(makes("mounts and namespaces", "record-of-all-programs", () => system("made(l.acct(b'/tmp/account'))"))),
	asRoot(
		makes("mounts and namespaces", "settings-of-the-kernel", () =>
			// Opened, not written.
			bash(
				"find /proc -maxdepth 4 -type f -not -path '/proc/[0-9]*' -not -path '/proc/*self/*' 2>/dev/null | while read f; do if (exec 3>>$f) 2>/dev/null; then echo made-it $f; break; fi; done",
			),
		),
	),
	onlyInRing(
		makes("mounts and namespaces", "move-to-another-control-group", () =>
			bash(
				"find /sys/fs/cgroup -name cgroup.procs | head -50 | while read f; do (exec 3>>$f) 2>/dev/null && echo made-it $f; done",
			),
		),
	),
	onlyInRing(
		makes("mounts and namespaces", "traces-of-the-kernel", () =>
			bash(
				"ls -A /sys/kernel/tracing /sys/kernel/debug /sys/fs/bpf /sys/fs/pstore 2>/dev/null | grep -v : | grep -q . && echo made-it",
			),
		),
	),
];

const SOCKETS: Attempt[] = [
	makes("sockets", "family-in-a-larger-number", () =>
		system(
			"made(l.syscall(n(41, 198), ctypes.c_long((1 << 32) + 1), ctypes.c_long(1), ctypes.c_long(0)))",
			"made(l.syscall(n(41, 198), ctypes.c_long((1 << 32) + 1), ctypes.c_long((1 << 32) + 2), ctypes.c_long(0)))",
		),
	),
	{
		boundary: "sockets",
		name: "unix-from-a-pair-of-another-kind",
		call: ({ sockets }, mark) =>
			system(
				"for kind in (3, 2 | os.O_NONBLOCK, (1 << 32) + 2):",
				"  pair = (ctypes.c_int * 2)()",
				"  l.syscall(n(53, 199), ctypes.c_long(1), ctypes.c_long(kind), ctypes.c_long(0), pair)",
				`  if pair[0]: socket.socket(fileno=pair[0]).sendto(b"${mark}", ${JSON.stringify(sockets.datagram)})`,
			),
		held: isUnheard,
	},
	{
		boundary: "sockets",
		name: "sockets-by-netlink",
		call: () =>
			system(
				"s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4)",
				"s.send(struct.pack('IHHII', 40, 20, 0x301, 1, 0) + struct.pack('BBHIIIII', 1, 0, 0, 0xffffffff, 0, 1, 0, 0))",
				"s.settimeout(2)",
				"while True:",
				"  answer = s.recv(65536); print(answer)",
				"  if struct.unpack_from('H', answer, 4)[0] == 3: break",
			),
		held: ({ sockets }, _mark, said) => !said.includes(sockets.inTmp),
	},
	{
		boundary: "network",
		name: "udp-without-programs",
		call: ({ udpPort }, mark) => bash(`printf ${mark} > /dev/udp/127.0.0.1/${udpPort}`),
		held: isUnheard,
	},
	{
		boundary: "network",
		name: "tcp-without-a-connection",
		call: ({ tcpPort }, mark) =>
			system("s = socket.socket()", `s.sendto(b"${mark}", 0x20000000, ("127.0.0.1", ${tcpPort}))`),
		held: isUnheard,
	},
	{
		boundary: "network",
		name: "tcp-by-many-paths",
		call: ({ tcpPort }, mark) =>
			system(`s = socket.socket(2, 1, 262); s.connect(("127.0.0.1", ${tcpPort})); s.send(b"${mark}")`),
		held: isUnheard,
	},
	{
		boundary: "network",
		name: "tcp-by-the-name-of-the-machine",
		call: ({ tcpPort }, mark) =>
			system(
				"for name in (socket.gethostname(), 'localhost', 'ip6-localhost'):",
				`  try: s = socket.create_connection((name, ${tcpPort}), 3); s.send(b"${mark}")`,
				"  except OSError as e: print(e)",
			),
		held: isUnheard,
	},
];

const outsideFile = ({ outside }: World): string => join(outside, "file");

const WRITES: Attempt[] = [
	changes("truncate-while-reading", outsideFile, (path) => system(`os.open("${path}", os.O_RDONLY | os.O_TRUNC)`)),
	changes(
		"write-by-a-path-that-was-opened",
		outsideFile,
		(path) => system(`f = os.open("${path}", 0o10000000); open(f"/proc/self/fd/{f}", "w").write("x")`),
		"descriptors",
	),
	changes(
		"in-an-open-folder",
		outsideFile,
		(_path, _mark, { outside }) =>
			system(`d = os.open("${outside}", 0o10000000)`, "os.write(os.open('file', os.O_WRONLY, dir_fd=d), b'x')"),
		"descriptors",
	),
	changes("copy-inside-the-kernel", outsideFile, (path, mark) =>
		system(
			`open("/tmp/${mark}", "w").write("xxxx")`,
			`a, b = os.open("/tmp/${mark}", 0), os.open("${path}", os.O_RDWR)`,
			"os.copy_file_range(a, b, 4); os.sendfile(b, a, 0, 4); fcntl.ioctl(b, 0x40049409, a)",
		),
	),
	creates("writes", "file-without-a-name", ({ outside }, mark) => join(outside, mark)),
	{
		...creates("writes", "file-named-later", ({ outside }, mark) => join(outside, mark)),
		call: ({ outside }, mark) =>
			system(
				`f = os.open("${outside}", 0o20200000 | os.O_RDWR); os.write(f, b"${mark}")`,
				`made(l.linkat(-100, f"/proc/self/fd/{f}".encode(), -100, b"${outside}/${mark}", 0x400))`,
			),
	},
	{
		boundary: "hard links",
		name: "new-name-in-a-folder",
		call: ({ outside }, mark) =>
			bash(`echo x > /tmp/${mark}; ln /tmp/${mark} ${quote(outside)}; ln -s x ${quote(`${outside}/${mark}`)}`),
		held: ({ outside }, mark) => isAbsent(join(outside, mark)),
	},
	changes(
		"hard-link-beside-it",
		({ outside }) => join(outside, "linked"),
		(path, mark) => bash(`ln ${quote(path)} ./beside-${mark} && echo x > ./beside-${mark}; rm -f ./beside-${mark}`),
		"hard links",
	),
	{
		boundary: "writes",
		name: "folder-in-a-folder",
		call: ({ outside }, mark) => bash(`mkdir ${quote(join(outside, mark))}`),
		held: ({ outside }, mark) => isAbsent(join(outside, mark)),
	},
	makes("writes", "flags-of-a-file", ({ outside }) =>
		system(
			`f = os.open("${join(outside, "read-me")}", 0)`,
			"flags = fcntl.ioctl(f, 0x80086601, b'\\0' * 8)",
			"fcntl.ioctl(f, 0x40086602, struct.pack('Q', struct.unpack('Q', flags)[0] | 0x40))",
			"print('made-it')",
		),
	),
	makes("writes", "owner-of-a-file", ({ outside }) =>
		system(`os.chown("${join(outside, "read-me")}", -1, os.getgid()); print("made-it")`),
	),
	makes("writes", "access-list-of-a-file", ({ outside }) =>
		system(
			"entry = lambda tag, right, id=0xffffffff: struct.pack('HHI', tag, right, id)",
			"acl = struct.pack('I', 2) + entry(1, 6) + entry(2, 6, os.getuid()) + entry(4, 4) + entry(16, 6) + entry(32, 4)",
			`os.setxattr("${join(outside, "read-me")}", "system.posix_acl_access", acl); print("made-it")`,
		),
	),
	{
		...creates("writes", "write-tool-tilde", ({ home }, mark) => join(home, mark)),
		call: (_world, mark) => ({ tool: "write", args: { path: `~/${mark}`, content: mark } }),
	},
	{
		...creates("writes", "write-tool-at-sign", ({ outside }, mark) => join(outside, mark)),
		call: ({ outside }, mark) => ({ tool: "write", args: { path: `@${join(outside, mark)}`, content: mark } }),
	},
	{
		...creates("writes", "write-tool-address", ({ outside }, mark) => join(outside, mark)),
		call: ({ outside }, mark) => ({ tool: "write", args: { path: `file://${join(outside, mark)}`, content: mark } }),
	},
	{
		boundary: "writes",
		name: "write-tool-name-with-a-command",
		call: ({ outside }, mark) => ({
			tool: "write",
			args: { path: `/tmp/a";touch ${outside}/${mark};$(touch ${outside}/${mark})`, content: "x" },
		}),
		held: ({ outside }, mark) => isAbsent(join(outside, mark)),
		onlyInRing: true,
	},
	changes("edit-tool-by-proc", outsideFile, (path, mark) => ({
		tool: "edit",
		args: { path: `/proc/self/root${path}`, edits: [{ oldText: "as it was", newText: mark }] },
	})),
];

const objectOf = (mark: string): string =>
	createHash("sha1")
		.update(`blob ${mark.length + 1}\0${mark}\n`)
		.digest("hex");

const GIT: Attempt[] = [
	inCheckout({
		boundary: "git",
		name: "git-object",
		call: ({ project }, mark) => bash(`echo ${mark} | git -C ${quote(project)} hash-object -w --stdin`),
		held: ({ project }, mark) => {
			const id = objectOf(mark);
			return isAbsent(join(project, ".git", "objects", id.slice(0, 2), id.slice(2)));
		},
	}),
	inCheckout({
		boundary: "git",
		name: "git-index",
		call: ({ project }, mark) =>
			bash(`cd ${quote(project)} && git update-index --add --cacheinfo 100644,$(git rev-parse HEAD:file.txt),${mark}`),
		held: ({ project }, mark) => !readFileSync(join(project, ".git", "index"), "latin1").includes(mark),
	}),
	inCheckout({
		boundary: "git",
		name: "git-branch",
		call: ({ project }, mark) =>
			bash(`git -C ${quote(project)} branch ${mark}; git -C ${quote(project)} tag t-${mark}`),
		held: ({ project }, mark) =>
			isAbsent(join(project, ".git", "refs", "heads", mark)) &&
			isAbsent(join(project, ".git", "refs", "tags", `t-${mark}`)),
	}),
	inCheckout(
		creates("git", "git-objects-elsewhere", ({ project }) => join(project, ".git", "objects", "info", "alternates")),
	),
	inCheckout(creates("git", "git-attributes-of-all", ({ project }) => join(project, ".git", "info", "attributes"))),
	inCheckout({
		boundary: "git",
		name: "git-push",
		call: ({ project }, mark) =>
			bash(
				`rm -rf /tmp/${mark}; git clone -q ${quote(project)} /tmp/${mark} && cd /tmp/${mark} && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m x && git push -q ${quote(project)} HEAD:refs/heads/${mark}`,
			),
		held: ({ project }, mark) => isAbsent(join(project, ".git", "refs", "heads", mark)),
	}),
];

const key = ({ home }: World): string => join(home, ".ssh", "id_ed25519");

const READS: Attempt[] = [
	...reads("tilde", () => "~/.ssh/id_ed25519").slice(1),
	...reads("tilde-and-at-sign", () => "@~/.ssh/id_ed25519").slice(1),
	...reads("address", (world) => `file://${key(world)}`).slice(1),
	...reads("many-slashes", ({ home }) => `/${home}//.ssh/./../.ssh/id_ed25519`),
	...reads("by-its-thread", (world) => `/proc/thread-self/root${key(world)}`),
	...reads("by-the-thread-of-a-process", (world) => `/proc/self/task/../root${key(world)}`),
	...reads("upwards-from-dev", (world) => `/dev/../${key(world)}`),
	...reads("upwards-from-tmp", (world) => `/tmp/../${key(world)}`),
	{
		boundary: "reads of secrets",
		name: "in-an-open-home",
		call: ({ home }) =>
			system(
				`d = os.open("${home}", 0o10000000)`,
				"for name in ('.ssh/id_ed25519', './/.ssh/../.ssh/id_ed25519', '.netrc'):",
				"  try: print(os.read(os.open(name, 0, dir_fd=d), 99))",
				"  except OSError as e: print(e)",
			),
		held: isSecret,
	},
	{
		boundary: "reads of secrets",
		name: "without-what-hides-it",
		call: ({ home }) =>
			bash(
				`cd ${quote(home)}; rm -rf .netrc .ssh; mv .netrc /tmp/moved; mv .ssh /tmp/moved-too; umount .netrc .ssh; cat .netrc .ssh/id_ed25519 /tmp/moved /tmp/moved-too/id_ed25519`,
			),
		held: isSecret,
		onlyInRing: true,
	},
	{
		boundary: "reads of secrets",
		name: "ls-tool-by-proc",
		call: (world) => ({ tool: "ls", args: { path: `/proc/self/root${join(world.home, ".ssh")}` } }),
		held: (_world, _mark, said) => !said.includes("id_ed25519"),
	},
	{
		boundary: "reads of secrets",
		name: "ls-tool-tilde",
		call: () => ({ tool: "ls", args: { path: "~/.ssh" } }),
		held: (_world, _mark, said) => !said.includes("id_ed25519"),
	},
	{
		boundary: "reads of secrets",
		name: "all-that-the-ring-shows",
		call: ({ scratch }) => bash(`timeout 20 grep -rIaos -m1 marzipan-0451-secret ${quote(scratch)} | head -5`),
		held: isSecret,
	},
	{
		boundary: "reads of secrets",
		name: "words-that-started-the-ring",
		call: () => bash("cat /proc/1/environ /proc/1/cmdline /proc/*/environ | tr '\\0' '\\n'"),
		held: isSecret,
		onlyInRing: true,
	},
	asRoot({
		boundary: "reads of secrets",
		name: "passwords-by-a-new-name",
		call: (_world, mark) =>
			bash(
				`ln /etc/shadow /tmp/${mark}; ln /etc/shadow ./${mark}; grep -h root: /tmp/${mark} ./${mark} /etc/shadow- && echo made-it; rm -f ./${mark}`,
			),
		held: isNotMade,
	}),
];

/** What newer kernels can do, and what was thought of later. */
export const NEWER_ATTEMPTS: readonly Attempt[] = [...CALLS, ...SOCKETS, ...WRITES, ...GIT, ...READS, ...PROCESSES];
