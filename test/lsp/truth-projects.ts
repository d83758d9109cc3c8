import type { LspRequest } from "../../src/lsp/request.ts";

/** A small repository in one language, and what is true of it. */
export interface TruthProject {
	/** The server it is for. */
	server: string;
	files: Readonly<Record<string, string>>;
	/** What npm would have installed: link → where it leads. */
	links?: Readonly<Record<string, string>>;
	/** Runs in projects that nobody trusts, too. */
	untrusted: boolean;
	questions: readonly Question[];
}

interface Question {
	request: LspRequest;
	/** Every place of the answer, in order; or a text that is in it. */
	truth: readonly string[] | RegExp;
}

const TSCONFIG = JSON.stringify({
	compilerOptions: { strict: true, module: "esnext", moduleResolution: "bundler", types: [] },
	include: ["src"],
});

/** A monorepo whose packages find each other through node_modules. */
const TYPESCRIPT = {
	files: {
		"package.json": '{ "private": true, "workspaces": ["packages/*"] }\n',
		"eslint.config.js": "export default [];\n",
		"packages/core/package.json": '{ "name": "@acme/core", "types": "src/order.ts" }\n',
		"packages/core/tsconfig.json": TSCONFIG,
		"packages/core/src/order.ts": `// priceOf is what everybody calls.
export function priceOf(items: number[]): number {
	return items.reduce((sum, item) => sum + item, 0);
}
export class Basket {
	items: number[] = [];
	total(): number { return priceOf(this.items); }
}
`,
		"packages/core/src/report.ts": `import { priceOf } from "./order";
export const report = (): number => priceOf([1]);
`,
		"packages/shop/package.json": '{ "name": "@acme/shop", "dependencies": { "@acme/core": "*", "lodash": "*" } }\n',
		"packages/shop/tsconfig.json": TSCONFIG,
		"packages/shop/src/checkout.ts": `import { Basket, priceOf } from "@acme/core";
export const checkout = (): number => priceOf([1, 2]) + new Basket().total();
`,
	},
	links: { "node_modules/@acme/core": "../../packages/core" },
	questions: [
		{
			request: { action: "references", file: "packages/core/src/order.ts", query: "priceOf" },
			truth: [
				...["packages/core/src/order.ts:2:17", "packages/core/src/order.ts:7:27"],
				...["packages/core/src/report.ts:1:10", "packages/core/src/report.ts:2:37"],
				...["packages/shop/src/checkout.ts:1:18", "packages/shop/src/checkout.ts:2:39"],
			],
		},
		{
			request: { action: "definition", file: "packages/shop/src/checkout.ts", line: 2, query: "priceOf" },
			truth: ["packages/core/src/order.ts:2:17"],
		},
		{ request: { action: "hover", query: "priceOf" }, truth: /function priceOf\(items: number\[\]\): number/ },
		{ request: { action: "definition", query: "Basket.total" }, truth: ["packages/core/src/order.ts:7:2"] },
		{ request: { action: "diagnostics", file: "packages/shop/src/checkout.ts" }, truth: /^No problems in 1 file\.$/ },
		{ request: { action: "symbols", query: "priceOf" }, truth: ["packages/core/src/order.ts:2:17"] },
	],
} satisfies Pick<TruthProject, "files" | "links" | "questions">;

/** One package, with the TypeScript that projects had before 7. */
const TYPESCRIPT_5: TruthProject = {
	server: "typescript-language-server",
	untrusted: false,
	files: {
		"package.json": '{ "dependencies": { "lodash": "*" } }\n',
		"eslint.config.js": "export default [];\n",
		"tsconfig.json": TSCONFIG,
		"src/order.ts": TYPESCRIPT.files["packages/core/src/order.ts"],
		"src/report.ts": TYPESCRIPT.files["packages/core/src/report.ts"],
	},
	questions: [
		{
			request: { action: "references", file: "src/order.ts", query: "priceOf" },
			truth: ["src/order.ts:2:17", "src/order.ts:7:27", "src/report.ts:1:10", "src/report.ts:2:37"],
		},
		{ request: { action: "hover", query: "priceOf" }, truth: /function priceOf\(items: number\[\]\): number/ },
		{ request: { action: "diagnostics", file: "src/report.ts" }, truth: /^No problems in 1 file\.$/ },
		{ request: { action: "definition", query: "Basket.total" }, truth: ["src/order.ts:7:2"] },
		{ request: { action: "symbols", query: "priceOf" }, truth: ["src/order.ts:2:17"] },
		{
			request: { action: "definition", file: "src/report.ts", line: 2, query: "priceOf" },
			truth: ["src/order.ts:2:17"],
		},
	],
};

const PYRIGHT: TruthProject = {
	server: "pyright",
	untrusted: true,
	files: {
		"pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n',
		"shop/__init__.py": "",
		"shop/order.py": `# price_of is what everybody calls.
def price_of(items: list[int]) -> int:
    return sum(items)


class Basket:
    def total(self) -> int:
        return price_of([])
`,
		"shop/checkout.py": `from shop.order import Basket, price_of

TOTAL = price_of([1, 2]) + Basket().total()
`,
		"tests/test_order.py": `from shop.order import price_of


def test_price() -> None:
    assert price_of([1]) == 1
`,
	},
	questions: [
		{
			request: { action: "references", file: "shop/order.py", query: "price_of" },
			truth: [
				...["shop/checkout.py:1:32", "shop/checkout.py:3:9", "shop/order.py:2:5", "shop/order.py:8:16"],
				...["tests/test_order.py:1:24", "tests/test_order.py:5:12"],
			],
		},
		{
			request: { action: "definition", file: "shop/checkout.py", line: 3, query: "price_of" },
			truth: ["shop/order.py:2:5"],
		},
		{ request: { action: "hover", query: "price_of" }, truth: /price_of\(items: list\[int\]\) -> int/ },
		{ request: { action: "definition", query: "Basket.total" }, truth: ["shop/order.py:7:9"] },
		{ request: { action: "diagnostics", file: "shop/checkout.py" }, truth: /^No problems in 1 file\.$/ },
		{ request: { action: "symbols", query: "price_of" }, truth: ["shop/order.py:2:5"] },
	],
};

const useOfPrice = (name: string) => `#include "order.h"
int ${name}(void) {
	int items[] = {1, 2};
	return price_of(items, 2);
}
`;

const CLANGD: TruthProject = {
	server: "clangd",
	untrusted: true,
	files: {
		"compile_commands.json": JSON.stringify(
			["order", "checkout", "report"].map((name) => ({
				directory: "<folder>",
				file: `src/${name}.c`,
				arguments: ["cc", "-Iinclude", "-c", `src/${name}.c`],
			})),
		),
		"include/order.h": `/* price_of is what everybody calls. */
int price_of(const int *items, int count);
`,
		"src/order.c": `#include "order.h"
int price_of(const int *items, int count) {
	int sum = 0;
	for (int i = 0; i < count; i++) sum += items[i];
	return sum;
}
`,
		"src/checkout.c": useOfPrice("checkout"),
		"src/report.c": useOfPrice("report"),
	},
	questions: [
		{
			request: { action: "references", file: "src/order.c", query: "price_of" },
			truth: ["include/order.h:2:5", "src/checkout.c:4:9", "src/order.c:2:5", "src/report.c:4:9"],
		},
		{
			request: { action: "definition", file: "src/checkout.c", line: 4, query: "price_of" },
			truth: ["src/order.c:2:5"],
		},
		{ request: { action: "hover", query: "price_of" }, truth: /int price_of\(const int \*items, int count\)/ },
		{ request: { action: "definition", query: "price_of" }, truth: ["src/order.c:2:5"] },
		{ request: { action: "diagnostics", file: "src/checkout.c" }, truth: /^No problems in 1 file\.$/ },
		{ request: { action: "symbols", query: "price_of" }, truth: ["src/order.c:2:5"] },
	],
};

const GOPLS: TruthProject = {
	server: "gopls",
	untrusted: true,
	files: {
		"go.work": "go 1.19\n\nuse (\n\t./core\n\t./shop\n)\n",
		"core/go.mod": "module acme.test/core\n\ngo 1.19\n",
		"core/order.go": `// Package core knows prices.
package core

// PriceOf is what everybody calls.
func PriceOf(items []int) int {
	return len(items)
}

type Basket struct{ items []int }

// Total adds up.
func (b *Basket) Total() int { return PriceOf(b.items) }
`,
		"core/report.go": "package core\n\nfunc Report() int { return PriceOf([]int{1}) }\n",
		"shop/go.mod": "module acme.test/shop\n\ngo 1.19\n",
		"shop/checkout.go": `package shop

import "acme.test/core"

func Checkout() int {
	basket := &core.Basket{}
	return core.PriceOf([]int{1, 2}) + basket.Total()
}
`,
	},
	questions: [
		{
			request: { action: "references", file: "core/order.go", query: "PriceOf" },
			truth: ["core/order.go:5:6", "core/order.go:12:39", "core/report.go:3:28", "shop/checkout.go:7:14"],
		},
		{
			request: { action: "references", file: "core/order.go", query: "(*Basket).Total" },
			truth: ["core/order.go:12:18", "shop/checkout.go:7:44"],
		},
		{ request: { action: "hover", query: "PriceOf" }, truth: /func (core\.)?PriceOf\(items \[\]int\) int/ },
		{ request: { action: "definition", query: "Basket.Total" }, truth: ["core/order.go:12:18"] },
		{ request: { action: "diagnostics", file: "shop/checkout.go" }, truth: /^No problems in 1 file\.$/ },
		{ request: { action: "symbols", query: "PriceOf" }, truth: ["core/order.go:5:6"] },
	],
};

const RUST: TruthProject = {
	server: "rust-analyzer",
	untrusted: false,
	files: {
		"Cargo.toml": '[workspace]\nresolver = "2"\nmembers = ["core", "shop"]\n',
		"Cargo.lock": `# This file is automatically @generated by Cargo.
# It is not intended for manual editing.
version = 3

[[package]]
name = "prices"
version = "0.1.0"

[[package]]
name = "shop"
version = "0.1.0"
dependencies = [
 "prices",
]
`,
		"core/Cargo.toml": '[package]\nname = "prices"\nversion = "0.1.0"\nedition = "2021"\n',
		"core/src/lib.rs": `//! price_of is what everybody calls.
pub mod report;

pub fn price_of(items: &[i32]) -> usize {
    items.len()
}

pub struct Basket;

impl Basket {
    pub fn total(&self) -> usize {
        price_of(&[])
    }
}
`,
		"core/src/report.rs": `use crate::price_of;

pub fn report() -> usize {
    price_of(&[1])
}
`,
		"shop/Cargo.toml":
			'[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nprices = { path = "../core" }\n',
		"shop/src/lib.rs": `use prices::{price_of, Basket};

pub fn checkout() -> usize {
    price_of(&[1, 2]) + Basket.total()
}
`,
	},
	questions: [
		{
			request: { action: "references", file: "core/src/lib.rs", query: "price_of" },
			truth: [
				...["core/src/lib.rs:4:8", "core/src/lib.rs:12:9", "core/src/report.rs:1:12", "core/src/report.rs:4:5"],
				...["shop/src/lib.rs:1:14", "shop/src/lib.rs:4:5"],
			],
		},
		{ request: { action: "definition", query: "Basket::total" }, truth: ["core/src/lib.rs:11:12"] },
		{
			request: { action: "hover", file: "core/src/lib.rs", query: "Basket.total" },
			truth: /fn total\(&self\) -> usize/,
		},
		{ request: { action: "symbols", query: "price_of" }, truth: ["core/src/lib.rs:4:8"] },
	],
};

export const TRUTH: readonly TruthProject[] = [
	{ server: "typescript", untrusted: true, ...TYPESCRIPT },
	TYPESCRIPT_5,
	PYRIGHT,
	CLANGD,
	GOPLS,
	RUST,
];
