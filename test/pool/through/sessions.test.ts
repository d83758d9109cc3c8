import "../../e2e/sticky-sessions.test.ts";
import "../../e2e/stopping.test.ts";
