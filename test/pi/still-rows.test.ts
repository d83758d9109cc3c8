import { stripVTControlCharacters } from "node:util";
import { ToolExecutionComponent } from "@earendil-works/pi-coding-agent";
import type { TUI } from "@earendil-works/pi-tui";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StillRows } from "../../src/pi/still-rows.ts";
import { foregroundRow } from "../../src/pi/view/foreground-row.ts";
import { drawRow } from "./row.ts";
import { rows as samples } from "./rows.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const screen = { requestRender() {} } as unknown as TUI;
const sample = (name: string) => samples[name]?.() as Required<ReturnType<NonNullable<(typeof samples)[string]>>>;

function rowsOf(amount: number, others = 0) {
	const still = new StillRows();
	const ids = Array.from({ length: amount }, (_, index) => `call-${index}`);
	const view = { name: "subagent", label: "subagent", ...foregroundRow(still) };
	const drawn = ids.map((id) => {
		const { args } = sample("running");
		const row = new ToolExecutionComponent("subagent", id, args, {}, view as never, screen, "/project");
		row.markExecutionStarted();
		return row;
	});
	// The model writes one call after the other.
	for (const arrived of ids.keys()) still.called(ids.slice(0, arrived + 1), others);
	const show = (index: number, name: string) => {
		const { result, isPartial } = sample(name);
		drawn[index]?.updateResult({ isError: false, ...result } as never, isPartial ?? false);
	};
	const text = (index: number) => stripVTControlCharacters(drawn[index]?.render(60).join("\n") ?? "").trimEnd();
	return { show, text, raw: (index: number) => drawn[index]?.render(60).join("\n") };
}

test("a row of one or two looks as pi would frame it, while it runs and when it has finished", () => {
	for (const name of ["running", "done", "refused", "queued"]) {
		const { show, raw } = rowsOf(2);
		show(0, name);
		expect(raw(0)).toBe(drawRow({ ...sample(name), args: sample("running").args }, 60).join("\n"));
	}
	expect(rowsOf(2).raw(0)).toBe(drawRow({ args: sample("running").args }, 60).join("\n"));
});

test("a row beside one of another tool, which may push it out of sight, stays still too", () => {
	const { show, raw } = rowsOf(1, 1);
	const before = raw(0);
	show(0, "running");
	expect(raw(0)).toBe(before);
});

test("from the third on, a row is one line that does not change while its run streams", () => {
	const { show, raw, text } = rowsOf(3);
	const before = raw(1);
	expect(text(1).trim().split("\n")).toHaveLength(1);
	for (const name of ["queued", "starting", "running"]) {
		show(1, name);
		expect(raw(1)).toBe(before);
	}
});

test("rows that finish are shown together: a second after the first, or at once when all have finished", () => {
	const { show, raw, text } = rowsOf(4);
	const before = raw(0);
	show(0, "done");
	vi.advanceTimersByTime(600);
	show(1, "done");
	expect([raw(0), raw(1)]).toEqual([before, before]);
	vi.advanceTimersByTime(400);
	expect(text(0)).toContain("finished");
	expect(text(1)).toContain("finished");
	vi.advanceTimersByTime(200);
	show(2, "done");
	vi.advanceTimersByTime(100);
	show(3, "done");
	// All have finished, and it is not a second since the last were shown.
	vi.advanceTimersByTime(600);
	expect(raw(2)).toBe(before);
	vi.advanceTimersByTime(100);
	expect(text(2)).toContain("finished");
	expect(text(3)).toContain("finished");
});
