import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import type { Home } from "./home.ts";
import { PATIENCE_MS } from "./patience.ts";
import { ANY_PI, cliOf, type PiVersion } from "./repository.ts";

export interface TerminalOptions {
	readonly cols?: number;
	readonly rows?: number;
	readonly version?: PiVersion;
	readonly args?: readonly string[];
	/** Commands for a shell, which start pi themselves. */
	readonly commands?: string;
	readonly env?: Readonly<Record<string, string>>;
}

const KEYS = {
	enter: "\r",
	escape: "\x1b",
	tab: "\t",
	backspace: "\x7f",
	up: "\x1b[A",
	down: "\x1b[B",
	right: "\x1b[C",
	left: "\x1b[D",
	pageUp: "\x1b[5~",
	pageDown: "\x1b[6~",
	"ctrl+c": "\x03",
	"ctrl+d": "\x04",
	"ctrl+o": "\x0f",
	"alt+g": "\x1bg",
	"alt+s": "\x1bs",
	end: "\x1b[F",
	home: "\x1b[H",
} as const;

export type Key = keyof typeof KEYS;

/** pi begins every repaint with this sequence, so that a terminal shows the whole repaint at once. */
const FRAME = "\x1b[?2026h";
/** pi erases the screen when it draws everything again, and then the scrollback. Together they are one full clear. */
const CLEAR_SCREEN = "\x1b[2J";
const CLEAR_BOTH = "\x1b[2J\x1b[H\x1b[3J";
const CLEAR_SCROLLBACK = "\x1b[3J";

/** pi's interactive mode, on a terminal that only this test sees. */
export function startTerminal(home: Home, options: TerminalOptions = {}): TestTerminal {
	const { cols = 100, rows = 30, version = ANY_PI, args = [], commands, env = {} } = options;
	const [program, argv] =
		commands === undefined
			? [process.execPath, [cliOf(version), ...home.extensionArgs, ...args]]
			: ["sh", ["-c", commands]];
	const pty = spawn(program, argv, {
		name: "xterm-256color",
		cols,
		rows,
		cwd: home.project,
		env: { ...home.env, TERM: "xterm-256color", ...env },
	});
	const terminal = new TestTerminal(pty, new xterm.Terminal({ cols, rows, scrollback: 5_000, allowProposedApi: true }));
	const close = () => terminal.close();
	home.closers.add(close);
	terminal.exited.then(() => home.closers.delete(close));
	return terminal;
}

export class TestTerminal {
	readonly exited: Promise<number>;
	readonly #pty: IPty;
	readonly #xterm: xterm.Terminal;
	readonly #listeners = new Set<() => void>();
	#ended = false;
	#title = "";
	#frames = 0;
	#fullClears = 0;
	/** The end of the last piece of output: a sequence may be cut in two. */
	#lastBytes = "";

	constructor(pty: IPty, emulator: xterm.Terminal) {
		this.#pty = pty;
		this.#xterm = emulator;
		pty.onData((data) => {
			this.#frames += data.split(FRAME).length - 1;
			this.#fullClears += this.#countClears(data);
			emulator.write(data, () => this.#changed());
		});
		emulator.onTitleChange((title) => {
			this.#title = title;
		});
		// The emulator answers pi's questions about the terminal, as a real one would.
		emulator.onData((answer) => {
			if (!this.#ended) pty.write(answer);
		});
		this.exited = new Promise((resolve) => {
			pty.onExit(({ exitCode }) => {
				this.#ended = true;
				this.#changed();
				resolve(exitCode);
			});
		});
	}

	#countClears(data: string): number {
		const known = this.#lastBytes;
		this.#lastBytes = (known + data).slice(1 - CLEAR_BOTH.length);
		const added = (sequence: string) => {
			// What was known already held the whole of its first ones.
			return (known + data).split(sequence).length - known.split(sequence).length;
		};
		return added(CLEAR_SCREEN) + added(CLEAR_SCROLLBACK) - added(CLEAR_BOTH);
	}

	get pid(): number {
		return this.#pty.pid;
	}

	type(text: string): void {
		this.#pty.write(text);
	}

	key(...keys: readonly Key[]): void {
		for (const key of keys) this.#pty.write(KEYS[key]);
	}

	/** The visible lines, without trailing blanks. */
	screen(): string[] {
		const { viewportY } = this.#xterm.buffer.active;
		return this.#lines(viewportY, viewportY + this.#xterm.rows);
	}

	/** The visible lines and everything that scrolled away above them. */
	history(): string[] {
		return this.#lines(0, this.#xterm.buffer.active.length);
	}

	/** How often pi has repainted something. */
	get frames(): number {
		return this.#frames;
	}

	/** How often pi has erased the screen and the scrollback. */
	get fullClears(): number {
		return this.#fullClears;
	}

	/** The lines that did not fit, so that the terminal had to wrap them. */
	overflows(): string[] {
		const buffer = this.#xterm.buffer.active;
		return Array.from({ length: buffer.length }, (_, row) => buffer.getLine(row))
			.filter((line) => line?.isWrapped)
			.map((line) => line?.translateToString(true) ?? "");
	}

	/** Resolves with the screen as soon as it matches. */
	async waitForText(pattern: RegExp, timeoutMs = PATIENCE_MS): Promise<string[]> {
		await this.#until(() => pattern.test(this.screen().join("\n")), `show ${pattern}`, timeoutMs);
		return this.screen();
	}

	/** The same, once pi has also finished its answer: before that it accepts no /reload. */
	async waitForAnswer(pattern: RegExp): Promise<string[]> {
		const isThere = (screen: string) => pattern.test(screen) && !/\bWorking\b/.test(screen);
		await this.#until(() => isThere(this.screen().join("\n")), `answer ${pattern}`, PATIENCE_MS);
		return this.screen();
	}

	/**
	 * Resolves when pi accepts a prompt. pi draws its screen earlier, but refuses input until then. It sets the title
	 * last, after the extensions have started. A dialog at the start delays it.
	 */
	ready(timeoutMs = PATIENCE_MS): Promise<void> {
		return this.#until(() => this.#title !== "", "become ready", timeoutMs);
	}

	#until(holds: () => boolean, what: string, timeoutMs: number): Promise<void> {
		return new Promise((resolve, reject) => {
			const check = () => {
				if (holds()) settle(resolve);
				else if (this.#ended) fail(`pi ended before it did ${what}`);
			};
			const fail = (reason: string) => settle(() => reject(new Error(`${reason}:\n${this.screen().join("\n")}`)));
			const timer = setTimeout(() => fail(`The screen did not ${what} within ${timeoutMs} ms`), timeoutMs);
			const settle = (finish: () => void) => {
				clearTimeout(timer);
				this.#listeners.delete(check);
				finish();
			};
			this.#listeners.add(check);
			check();
		});
	}

	resize(cols: number, rows: number): void {
		this.#xterm.resize(cols, rows);
		this.#pty.resize(cols, rows);
	}

	/** Closes the window without quitting pi first, and kills only processes that ignore that. */
	async close(): Promise<void> {
		if (!this.#ended) this.#pty.kill("SIGHUP");
		const timer = setTimeout(() => !this.#ended && this.#pty.kill("SIGKILL"), 20_000);
		await this.exited;
		clearTimeout(timer);
		this.#xterm.dispose();
	}

	#lines(from: number, to: number): string[] {
		const buffer = this.#xterm.buffer.active;
		return Array.from({ length: to - from }, (_, row) => buffer.getLine(from + row)?.translateToString(true) ?? "");
	}

	#changed(): void {
		for (const check of [...this.#listeners]) check();
	}
}
