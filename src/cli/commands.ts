import { agents } from "./agents.ts";
import type { Command } from "./command.ts";
import { completion } from "./completion.ts";
import { doctor } from "./doctor.ts";
import { gc } from "./gc.ts";
import { info } from "./info.ts";
import { list } from "./list.ts";
import { log } from "./log.ts";
import { logs } from "./logs.ts";
import { send } from "./send.ts";
import { stop } from "./stop.ts";

/** In the order of the help. */
export const COMMANDS: readonly Command[] = [list, info, log, stop, send, agents, doctor, logs, gc, completion];
