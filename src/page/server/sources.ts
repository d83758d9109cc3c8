import type { Redactor } from "../../collect/redact/redactor.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Places } from "../../ledger/places.ts";
import type { RunRecord } from "../../ledger/records.ts";
import type { Log } from "../../log/log.ts";
import type { Denial } from "../../operate/denial.ts";
import type { CheckResult } from "../../operate/doctor/check.ts";
import type { DoctorOptions } from "../../operate/doctor/doctor.ts";
import type { RunId } from "../../run/ids.ts";
import type { PoolLook } from "../../run/pool-status.ts";
import type { SendDone } from "../api/actions.ts";
import type { AgentsHere } from "../api/views.ts";

/** What the page's server needs from the code that starts it. */
export interface PageSources {
	/** The version of pi-geon. */
	version: string;
	/** The folder that it was started in. */
	cwd: string;
	places: Places;
	treesRoot: string;
	/** The folder of the browser's half. */
	bundle: string;
	/** Redacts everything that leaves the server. */
	redactor: Redactor;
	log: Log;
	/** The agents of a folder, and what each gets there. */
	agents(cwd: string): Promise<AgentsHere>;
	/** Whether a pool is configured. */
	hasPools(): boolean;
	lookAtPools(): Promise<PoolLook[]>;
	doctor(options: DoctorOptions): Promise<CheckResult[]>;
	/** Called when this process ended a run without a host. The outcome is in the ledger. */
	ended(runId: RunId, ledger: Ledger): void;
	/** Steers the run, or resumes its session. */
	post(record: RunRecord, message: string, ledger: Ledger): Promise<SendDone | Denial>;
}

/** The requester, as recorded with actions. */
export const BY_PAGE = "the user, on the live page";
