import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { finalize } from "../e2e/child.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { runPi } from "../helpers/pi.ts";
import { usePreparedHome } from "../helpers/prepared-home.ts";
import { piGeon } from "./pi-geon.ts";

const SECRET = "zx81-correct-horse-battery-staple";

/** A home in which a run has changed a file in its tree, after another that read one. */
const usedHome = usePreparedHome({
	git: true,
	files: { "a.txt": `marzipan ${SECRET}\n` },
	env: { SERVICE_API_KEY: SECRET },
	script: dispatch({
		parent: [toolCall("subagent", { agent: "worker", task: `Where is ${SECRET} kept?` }), text("Done.")],
		child: ({ lastMessage }) => {
			if (lastMessage?.role !== "tool") return toolCall("read", { path: "a.txt" });
			if (JSON.stringify(lastMessage.content).includes("marzipan")) {
				return toolCall("write", { path: "b.txt", content: "<script>nougat</script>\n" });
			}
			return finalize("In <b>b.txt</b>.");
		},
	}),
	past: async (home) => void (await runPi(home, [...home.extensionArgs, "-p", "Delegate."])),
});

test("a run becomes one file: to stdout as Markdown, into a file by its name, and never over another", async () => {
	const home = await usedHome();
	const file = (name: string) => join(home.project, name);
	const markdown = await piGeon(home, ["export", "last"]);
	expect(markdown).toMatchObject({ code: 0, stderr: "" });
	expect(markdown.stdout).toMatch(/^# Run [0-9a-f]{8}: worker\n/);
	for (const part of [
		"## Facts",
		"**sandbox**",
		"### Tool: read",
		"marzipan",
		"In <b>b.txt</b>.",
		"+<script>nougat</script>",
	]) {
		expect(markdown.stdout).toContain(part);
	}

	expect(await piGeon(home, ["export", "last", "-o", "run.html"])).toEqual({
		code: 0,
		stdout: "Wrote run.html\n",
		stderr: "",
	});
	expect(statSync(file("run.html")).mode & 0o777).toBe(0o600);
	const html = readFileSync(file("run.html"), "utf8");
	expect(html).toContain("&lt;script&gt;nougat");
	expect(html).not.toContain("<script");
	const json = JSON.parse((await piGeon(home, ["export", "last", "--json"])).stdout);
	expect(json).toMatchObject({
		version: 1,
		run: { agent: "worker", status: "success", attempts: [{ number: 1 }], transcript: expect.stringMatching(/^~/) },
		transcript: {
			items: expect.arrayContaining([expect.objectContaining({ type: "tool", name: "write", isError: false })]),
		},
		diff: expect.stringContaining("+<script>nougat"),
	});
	for (const content of [markdown.stdout, html, JSON.stringify(json)]) {
		expect(content).not.toContain(SECRET);
		expect(content).not.toContain(home.home);
	}

	const again = await piGeon(home, ["export", "last", "--md", "-o", "run.html"]);
	expect(again).toMatchObject({
		code: 1,
		stderr: expect.stringMatching(/run\.html already exists.*--force replaces it/),
	});
	expect(readFileSync(file("run.html"), "utf8")).toBe(html);
	writeFileSync(file("precious.txt"), "precious", { mode: 0o644 });
	symlinkSync(file("precious.txt"), file("link.md"));
	expect(await piGeon(home, ["export", "last", "-o", "link.md"])).toMatchObject({ code: 1 });
	expect(await piGeon(home, ["export", "last", "-o", "link.md", "--force"])).toMatchObject({ code: 0 });
	expect(readFileSync(file("precious.txt"), "utf8")).toBe("precious");
	expect(readFileSync(file("link.md"), "utf8")).toMatch(/^# Run/);
	expect(statSync(file("link.md")).mode & 0o777).toBe(0o600);

	expect(await piGeon(home, ["export", "last", "-o", "run.txt"])).toMatchObject({
		code: 2,
		stderr: expect.stringContaining("does not imply a format"),
	});
	expect(await piGeon(home, ["export", "last", "--md", "--html"])).toMatchObject({
		code: 2,
		stderr: expect.stringContaining("cannot be combined"),
	});
	expect(existsSync(file("run.txt"))).toBe(false);
	expect((await piGeon(home, ["__complete", "export", "la"])).stdout).toContain("last");

	// The same from within pi.
	const { stdout } = await runPi(home, [...home.extensionArgs, "--continue", "-p", "/subagents export last json"]);
	const [, written = ""] = /Wrote (\S+)/.exec(stdout) ?? [];
	expect(JSON.parse(readFileSync(written, "utf8"))).toMatchObject({ version: 1, run: { runId: json.run.runId } });
});
