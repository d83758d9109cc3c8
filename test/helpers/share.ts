/**
 * Whether this is `npm test`, which runs a share of the slow tests, so that it finishes in ten minutes on two cores.
 * `npm run test:long`, and vitest itself, run all of them.
 */
export const isShare = process.env.PI_GEON_SHARE === "1";
