import { test } from "vitest";
import { isShare } from "./share.ts";

/**
 * A test that only `npm run test:long` runs: it tests in depth what others test on a smaller scale. It is marked as
 * failing to distinguish it from tests that are skipped because this machine cannot run them: see `left-to-long.ts`.
 */
export const longTest = isShare ? test.skip.fails : test;
