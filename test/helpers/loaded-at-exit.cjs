// Required before a pi is started: writes down the addresses of all modules that Node has loaded.
const { appendFileSync } = require("node:fs");
const { registerHooks } = require("node:module");

const file = process.env.LOADED_FILE;
// Processes that it starts are not meant.
delete process.env.LOADED_FILE;
delete process.env.NODE_OPTIONS;
if (file) {
	const loaded = [];
	registerHooks({
		load(url, context, nextLoad) {
			loaded.push(url);
			return nextLoad(url, context);
		},
	});
	process.on("exit", () => appendFileSync(file, `${loaded.join("\n")}\n`));
}
