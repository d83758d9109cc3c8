/** The socket of a ring's proxy, in the ring's scratch folder, which is hidden inside the ring. */
export const PROXY_SOCKET = "proxy.sock";
