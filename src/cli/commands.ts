import { agents } from "./agents.ts";
import { apply } from "./apply.ts";
import { branch } from "./branch.ts";
import { changes } from "./changes.ts";
import type { Command } from "./command.ts";
import { completion } from "./completion.ts";
import { diff } from "./diff.ts";
import { discard } from "./discard.ts";
import { doctor } from "./doctor.ts";
import { exportCommand } from "./export.ts";
import { gc } from "./gc.ts";
import { info } from "./info.ts";
import { list } from "./list.ts";
import { log } from "./log.ts";
import { logs } from "./logs.ts";
import { pool } from "./pool.ts";
import { send } from "./send.ts";
import { stop } from "./stop.ts";
import { web } from "./web.ts";
import { worker } from "./worker.ts";

/** In the order of the help. */
export const COMMANDS: readonly Command[] = [
	list,
	info,
	log,
	exportCommand,
	stop,
	send,
	changes,
	diff,
	apply,
	branch,
	discard,
	agents,
	doctor,
	logs,
	web,
	gc,
	worker,
	pool,
	completion,
];
