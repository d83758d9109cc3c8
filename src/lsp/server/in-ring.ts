import { join } from "node:path";
import { environmentIn, ringCommand } from "../../sandbox/ring.ts";
import type { ServerLaunch } from "./launch.ts";
import { commandsFolderFor } from "./own-folder.ts";

/**
 * A launch inside a ring, because the project may be hostile, and most servers run its code. The files that a server keeps
 * for the next time are not shared with servers outside, which would load them.
 */
export function launchedInRing(launch: ServerLaunch): ServerLaunch {
	const { rings, root, command, cwd, env } = launch;
	if (!rings) return launch;
	const ring = rings.open(root);
	const cache = join(ring.setup.scratch, "cache");
	// Variables set for servers, on top of those that a ring passes on.
	const ours = Object.entries(env).filter(([name, value]) => process.env[name] !== value);
	const withFolder = commandsFolderFor(launch, () => join(ring.setup.scratch, "clangd"));
	return {
		...launch,
		command: ringCommand(ring, withFolder ?? command, cwd),
		env: {
			...environmentIn(ring, env),
			...Object.fromEntries(ours),
			XDG_CACHE_HOME: cache,
			GOCACHE: join(cache, "go-build"),
			CARGO_TARGET_DIR: join(cache, "target"),
		},
	};
}
