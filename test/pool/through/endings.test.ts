import "../../e2e/endings.test.ts";
