/** The command that turns a pi process into a host. */
export const HOST_COMMAND = "pi-geon-host";
