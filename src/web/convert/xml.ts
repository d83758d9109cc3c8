import { Parser } from "htmlparser2";
import { decodeDeclared } from "./charset.ts";

export type XmlAttributes = Readonly<Record<string, string>>;

export interface XmlReader {
	open?(name: string, attributes: XmlAttributes): void;
	text?(text: string): void;
	close?(name: string): void;
}

/** Reads XML from front to back. It knows only the five entities of XML and numbers, so none can be expanded. */
export function readXml(bytes: Buffer | undefined, reader: XmlReader): void {
	if (!bytes) return;
	const parser = new Parser(
		{
			onopentag: (name, attributes) => reader.open?.(name, attributes),
			ontext: (text) => reader.text?.(text),
			onclosetag: (name) => reader.close?.(name),
		},
		{ xmlMode: true, decodeEntities: true },
	);
	parser.end(decodeDeclared(bytes) ?? bytes.toString("latin1"));
}

/** The targets of a part's relations, by id. Paths are relative to the archive. */
export function relationsOf(bytes: Buffer | undefined, folder: string): Map<string, string> {
	const targets = new Map<string, string>();
	readXml(bytes, {
		open: (name, { Id, Target, TargetMode }) => {
			if (name !== "Relationship" || Id === undefined || Target === undefined) return;
			targets.set(Id, TargetMode === "External" ? Target : pathInArchive(Target, folder));
		},
	});
	return targets;
}

/** A path as in the archive's directory. It is only looked up there, so it leads nowhere else. */
export function pathInArchive(target: string, folder: string): string {
	const path = URL.parse(target, `zip:///${folder}/`)?.pathname ?? target;
	try {
		return decodeURIComponent(path).replace(/^\/+/, "");
	} catch {
		return path.replace(/^\/+/, ""); // A percent sign that is part of the name.
	}
}
