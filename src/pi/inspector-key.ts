/** Not one of pi's own keys, on any platform. */
export const INSPECTOR_KEY = "alt+s";
