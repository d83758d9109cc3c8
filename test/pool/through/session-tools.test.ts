import "../../e2e/session-tools.test.ts";
