/** Not one of pi's own keys, on any platform: `ctrl+b` and `alt+b` move its cursor. */
export const BACKGROUND_KEY = "alt+g";
