/** The proxy of a ring listens there, in its scratch folder, which nothing in the ring sees. */
export const PROXY_SOCKET = "proxy.sock";
