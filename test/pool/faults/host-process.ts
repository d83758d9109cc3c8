// Stands in for a pi that was started as a host. Its last argument is the command that pi would get.
import { mutateIfAsked } from "./mutations.ts";

mutateIfAsked();
const { serveAsHost } = await import("./stand-in-host.ts");
await serveAsHost(process.argv.at(-1)?.split(" ")[1] ?? "");
process.exit(0);
