/**
 * Test files that `npm test` leaves to `npm run test:long`. Each is about one feature in depth, on a pi that is started for
 * nearly every test of it; what the feature promises first is shown by the unit tests of it, and by the files beside them that are not here.
 */
export const LONG_FILES: readonly string[] = [
	// Models, accounts and retries, in all their variants: test/plan, test/child and endings.test.ts have the decisions.
	"test/e2e/fallback-models.test.ts",
	"test/e2e/model-names.test.ts",
	"test/e2e/models.test.ts",
	"test/e2e/principals.test.ts",
	"test/e2e/retries.test.ts",
	// What goes wrong with hosts and files: recovery.test.ts, the attack and the simulator have the rest.
	"test/e2e/archive.test.ts",
	"test/e2e/doctor.test.ts",
	"test/e2e/isolation.test.ts",
	"test/e2e/lane.test.ts",
	"test/e2e/sticky-sessions.test.ts",
	// Screens and commands: test/pi and test/operate draw them, terminal.test.ts and commands.test.ts try them on pi.
	"test/e2e/agents.test.ts",
	"test/e2e/asks.test.ts",
	"test/e2e/commands-terminal.test.ts",
	"test/e2e/inspector-keys.test.ts",
	"test/e2e/reference-reports.test.ts",
	"test/e2e/run-command.test.ts",
	"test/e2e/skills.test.ts",
	"test/cli/changes.test.ts",
	// Of the rings and of hostile input: escape.test.ts, on-pi.test.ts and the other files of test/fuzz.
	"test/fuzz/model-streams.test.ts",
	"test/fuzz/session-files.test.ts",
	"test/sandbox/host-list.test.ts",
	"test/sandbox/servers.test.ts",
	"test/fuzz/tool-arguments.test.ts",
	"test/sandbox/kept-output.test.ts",
	"test/sandbox/kill.test.ts",
	"test/security/hostile-checkout.test.ts",
	"test/security/write-consent.test.ts",
	"test/lsp/untouched.test.ts",
	// Measurements of the redactor: what it masks is in the files beside.
	"test/collect/redact/speed.test.ts",
	// What users see of single settings and events.
	"test/e2e/agent-mentions.test.ts",
	"test/e2e/background-key.test.ts",
	"test/e2e/config-changes.test.ts",
	"test/e2e/logs.test.ts",
	"test/e2e/announce-elsewhere.test.ts",
	"test/e2e/tool-activity.test.ts",
	"test/pi/announce-terminal.test.ts",
	"test/e2e/screens.test.ts",
	"test/e2e/toolkit-agents.test.ts",
	"test/e2e/what-goes-wrong.test.ts",
	"test/examples/chat-bridge.test.ts",
];
