import "../../e2e/budgets.test.ts";
