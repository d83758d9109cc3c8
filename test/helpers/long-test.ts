import { test } from "vitest";
import { isShare } from "./share.ts";

/** A test that `npm test` leaves to `npm run test:long`: what it shows in depth, others show on a smaller scale. */
export const longTest = test.skipIf(isShare);
