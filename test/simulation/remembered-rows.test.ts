import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { RememberedRows } from "./remembered-rows.ts";

const COUNT = "SELECT (SELECT count(*) FROM owners) AS owners, (SELECT count(*) FROM things) AS things";

function remembered() {
	const database = new DatabaseSync(":memory:");
	database.exec(`PRAGMA foreign_keys = on;
		CREATE TABLE owners (id INTEGER PRIMARY KEY, name TEXT);
		CREATE TABLE things (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES owners (id) ON DELETE CASCADE);
		INSERT INTO owners VALUES (1, 'a'), (2, 'b');
		INSERT INTO things VALUES (1, 1), (2, 1), (3, 2);`);
	return { database, rows: new RememberedRows(database) };
}

test.for([
	["an update", (rows: RememberedRows) => rows.statement("UPDATE owners SET name = 'c' WHERE id = ?").run(1)],
	["an insert that answers", (rows) => rows.statement("INSERT INTO owners VALUES (?, 'c') RETURNING id").get(3)],
	["a row that is removed", (rows) => rows.statement("DELETE FROM owners WHERE id = ?").run(1)],
	[
		"a transaction that is undone",
		(rows, read) => {
			rows.statement("BEGIN IMMEDIATE").run();
			rows.statement("DELETE FROM owners WHERE id = ?").run(1);
			read();
			rows.statement("ROLLBACK").run();
			rows.forget();
		},
	],
] satisfies [string, (rows: RememberedRows, read: () => unknown) => unknown][])(
	"after %s, what is read is what the database holds",
	([, change]) => {
		const { database, rows } = remembered();
		const questions = [COUNT, "SELECT * FROM things", "SELECT name FROM owners WHERE id = 1"];
		const read = () => questions.map((sql) => rows.statement(sql).all());
		read();
		change(rows, read);
		expect(read()).toEqual(questions.map((sql) => database.prepare(sql).all()));
	},
);

test("what has not changed is not asked for again", () => {
	const { database, rows } = remembered();
	const things = () => rows.statement("SELECT * FROM things WHERE owner = ?").all(1);
	const before = things();
	rows.statement("UPDATE owners SET name = 'c'").run();
	rows.statement("UPDATE things SET owner = 2 WHERE id = ?").run(9);
	expect(things()).toBe(before);
	database.exec("DELETE FROM things");
	rows.forget();
	expect(things()).toEqual([]);
});
