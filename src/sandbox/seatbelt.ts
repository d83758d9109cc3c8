import type { RingNetwork } from "./bwrap.ts";
import type { Mount } from "./mounts.ts";

/** Part of macOS. Apple calls it deprecated, but offers no replacement for programs that are not apps. */
export const SANDBOX_EXEC = "/usr/bin/sandbox-exec";

export interface SeatbeltOptions {
	/** In the order of mounting: the rules of deeper paths come later, and the last matching rule counts. */
	mounts: readonly Mount[];
	network: RingNetwork;
	/** Whether unix sockets of programs outside can be used. */
	sockets: boolean;
}

/** The command that runs another one in a ring of macOS. */
export const seatbeltCommand = (options: SeatbeltOptions, cwd: string, command: readonly string[]): string[] => [
	...["/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", cwd],
	...[SANDBOX_EXEC, "-p", seatbeltProfile(options), ...command],
];

/**
 * A ring in the language of the macOS sandbox. It has no mounts: hidden files exist and cannot be read. It has no
 * namespaces either: processes see each other and keep running when their shell ends.
 */
export function seatbeltProfile({ mounts, network, sockets }: SeatbeltOptions): string {
	return [
		"(version 1)",
		"(allow default)",
		...OTHER_PROCESSES,
		...mounts.flatMap(rulesFor),
		...networkRules(network, sockets),
	].join("\n");
}

/** Ways to make a process outside the ring act. */
const OTHER_PROCESSES = [
	"(deny signal (target others))",
	"(allow signal (target same-sandbox))",
	"(deny process-info* (target others))",
	"(allow process-info* (target same-sandbox))",
	"(deny mach-priv-task-port)",
	"(deny appleevent-send)",
	"(deny lsopen)",
	"(deny job-creation)",
	"(deny sysctl-write)",
	"(deny nvram*)",
	"(deny mach-register)",
	"(deny mach-lookup)",
	`(allow mach-lookup ${globalNames([
		"com.apple.bsd.dirhelper",
		"com.apple.diagnosticd",
		"com.apple.FSEvents",
		"com.apple.logd",
		"com.apple.system.logger",
		"com.apple.system.notification_center",
		"com.apple.system.opendirectoryd.libinfo",
		"com.apple.system.opendirectoryd.membership",
	])})`,
];

/** The services that check certificates, and that know the name servers. */
const FOR_NETWORK = ["com.apple.SystemConfiguration.configd", "com.apple.trustd", "com.apple.trustd.agent"];

/** A system service looks up names. */
const NAME_SERVICE = '(literal "/private/var/run/mDNSResponder")';

function networkRules(network: RingNetwork, sockets: boolean): string[] {
	const unix = sockets ? ["(allow network* (local unix-socket) (remote unix-socket))"] : [];
	if (network !== "on") return ["(deny network*)", ...unix];
	return [
		`(allow mach-lookup ${globalNames(FOR_NETWORK)})`,
		...(sockets ? [] : ["(deny network* (local unix-socket) (remote unix-socket))"]),
		`(allow network-outbound ${NAME_SERVICE})`,
	];
}

/** Devices that every program may write to. The terminal is not one of them, because the user types there. */
const WRITABLE_DEVICES = ["/dev/null", "/dev/zero", "/dev/dtracehelper", "/dev/stdout", "/dev/stderr"];

function rulesFor(mount: Mount): string[] {
	const here = `(subpath ${quotedPath(mount.at)})`;
	switch (mount.as) {
		case "read-only":
			return [`(allow file-read* ${here})`, `(deny file-write* ${here})`, `(deny file-mknod ${here})`];
		case "writable":
			return [`(allow file-read* file-write* ${here})`];
		case "empty":
			// Programs may check that it exists, because the path to visible files below leads through it.
			return [`(deny file-read* file-write* ${here})`, `(allow file-read-metadata (literal ${quotedPath(mount.at)}))`];
		case "blank":
			return [`(deny file-read* file-write* (literal ${quotedPath(mount.at)}))`];
		case "devices":
			return [
				`(allow file-write* ${WRITABLE_DEVICES.map((file) => `(literal ${quotedPath(file)})`).join(" ")} (regex #"^/dev/fd/"))`,
				'(deny file-read* (literal "/dev/tty"))',
			];
		case "processes":
			return [];
	}
}

/** A path as a string in the profile's language, which is Scheme. */
const quotedPath = (path: string): string => `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

function globalNames(services: readonly string[]): string {
	return services.map((name) => `(global-name "${name}")`).join(" ");
}
