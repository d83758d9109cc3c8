import { test } from "vitest";
import { longTest } from "./long-test.ts";
import { isThroughPool } from "./through-pool.ts";

/** A test of what no pool does: most need tools or extensions of the user's own, which do not travel. */
export const localTest = isThroughPool ? test.skip : test;
export const localLongTest = isThroughPool ? test.skip : longTest;
