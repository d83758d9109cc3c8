import { test } from "vitest";
import { isShare } from "./share.ts";

/**
 * A test that `npm test` leaves to `npm run test:long`: what it shows in depth, others show on a smaller scale. That it is
 * said to fail is how it is told from a test that is skipped because this machine cannot run it: see `left-to-long.ts`.
 */
export const longTest = isShare ? test.skip.fails : test;
