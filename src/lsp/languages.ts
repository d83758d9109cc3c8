/** Languages without a known server unless a user adds one: their files are reported as not examined. */
export const OTHER_LANGUAGES: Readonly<Record<string, string>> = {
	...{ ".java": "Java", ".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala", ".groovy": "Groovy", ".clj": "Clojure" },
	...{ ".cs": "C#", ".fs": "F#", ".vb": "Visual Basic", ".swift": "Swift", ".mm": "Objective-C++", ".dart": "Dart" },
	...{ ".rb": "Ruby", ".php": "PHP", ".pl": "Perl", ".pm": "Perl", ".lua": "Lua", ".r": "R", ".jl": "Julia" },
	...{ ".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang", ".hs": "Haskell", ".ml": "OCaml", ".elm": "Elm" },
	...{
		".zig": "Zig",
		".nim": "Nim",
		".cr": "Crystal",
		".v": "V",
		".sol": "Solidity",
		".vue": "Vue",
		".svelte": "Svelte",
	},
	...{ ".astro": "Astro", ".cu": "CUDA", ".f90": "Fortran", ".pas": "Pascal", ".ada": "Ada", ".adb": "Ada" },
};
