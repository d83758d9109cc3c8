// Stands in for the pi that asked.
import { mutateIfAsked } from "./mutations.ts";

mutateIfAsked();
const { attendAsParent } = await import("./stand-in-parent.ts");
await attendAsParent(process.argv[2] ?? "");
