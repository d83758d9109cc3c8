// `pi-geon worker` of a machine whose hosts are stand-ins.
import { mutateIfAsked } from "./mutations.ts";

mutateIfAsked();
const { workForPool } = await import("./stand-in-worker.ts");
await workForPool(Number(process.argv[2]));
process.exit(0);
