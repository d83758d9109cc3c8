/** What a child, a model or a file may say to spoil the screen. */
export const hostile = {
	ansi: "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J\x1b[H gone? \u009b31m",
	wide: "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字",
	emoji: "👩‍👩‍👧‍👦🏳️‍🌈👍🏽 a family 👩‍💻 of emoji 🧑‍🚀 and flags 🇩🇪🇯🇵",
	rightToLeft: "\u202Eesrever\u202C שלום עולם \u2066isolate\u2069 مرحبا",
	long: `${"word ".repeat(200)}${"x".repeat(5_000)}`,
	lines: "one\r\ntwo\rthree\u2028four\tfive\n\n\nsix",
};
