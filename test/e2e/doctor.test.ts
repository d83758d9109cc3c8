import { test } from "vitest";
import { runPi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
const openHome = useHome();
test("try", async () => {
	for (const version of ["0.87.1", "1.5.0"] as const) {
		const home = await openHome({});
		const run = await runPi(home, [...home.extensionArgs, "-p", "/toolkit doctor"], { version });
		console.log(run.stdout, run.stderr, run.code);
		const logs = await runPi(home, [...home.extensionArgs, "-p", "/toolkit logs"], { version });
		console.log(logs.stdout, logs.stderr, logs.code);
	}
}, 60000);
