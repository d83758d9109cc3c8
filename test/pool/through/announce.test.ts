import "../../e2e/announce-dropped.test.ts";
import "../../e2e/announce-elsewhere.test.ts";
import "../../e2e/announce-timing.test.ts";
