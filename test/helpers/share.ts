/**
 * Whether this is `npm test`, which tries a share of what takes long, so that it is over in ten minutes on two cores.
 * `npm run test:long`, and vitest by itself, try all of it.
 */
export const isShare = process.env.PI_GEON_SHARE === "1";
