/**
 * pi-geon side by side with the packages that do the same for pi, in one run: `npm run bench -- --peers`. They are installed
 * into a scratch folder. One that cannot be installed, or that fails at something, is reported as failed there.
 *
 *   node bench/peers.ts [--rounds 15] [--starts 5] [--json]
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repositoryRoot } from "../test/helpers/repository.ts";
import { stagePackage } from "../test/helpers/staged-package.ts";
import { installPeer } from "./install-peer.ts";
import { machine } from "./machine.ts";
import { measurePeers, type PeerFigures, type PeersResult } from "./measure-peers.ts";
import { printPeers } from "./peers-table.ts";
import { ourSubject, PEERS, peerSubject, type Subject } from "./subject.ts";

const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "15" },
		starts: { type: "string", default: "5" },
		json: { type: "boolean" },
	},
});
const { version } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
const scratch = mkdtempSync(join(tmpdir(), "pi-geon-peers-"));
const staged = stagePackage();
try {
	const subjects: Subject[] = [ourSubject(staged.path, version)];
	const failed: PeerFigures[] = [];
	for (const name of Object.keys(PEERS)) {
		try {
			subjects.push(peerSubject(name, installPeer(name, scratch)));
		} catch (error) {
			failed.push({
				name,
				version: "none",
				failure: error instanceof Error ? error.message : String(error),
				figures: {},
			});
		}
	}
	const measured = await measurePeers(subjects, { rounds: Number(values.rounds), starts: Number(values.starts) });
	const result: PeersResult = { machine: machine(), packages: [...measured, ...failed] };
	if (values.json) console.log(JSON.stringify(result));
	else printPeers(result);
} finally {
	staged.remove();
	rmSync(scratch, { recursive: true, force: true });
}
