import "../../e2e/fallback-models.test.ts";
import "../../e2e/finalization.test.ts";
