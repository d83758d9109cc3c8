import "../../e2e/background.test.ts";
