/** The checkout when a run began, as a commit. */
export interface TreeBase {
	commit: string;
	/** The commit that the checkout was on; undefined without git, and before the first commit. */
	head?: string;
	/** Whether the checkout had changes on top of this commit. */
	dirty: boolean;
}

/** What a run changed in its tree, as data. The changes reach the user's checkout only when the user applies them. */
export interface Changes {
	base: TreeBase;
	commit: string;
	files: ChangedFile[];
	total: { files: number; added: number; removed: number };
	/** The digests of the two files that hold them. */
	sha256: { patch: string; bundle: string };
	warnings: string[];
}

export interface ChangedFile {
	path: string;
	/** Its previous name, if it was renamed. */
	from?: string;
	status: "A" | "M" | "D" | "R" | "T";
	added: number;
	removed: number;
	binary?: true;
	/** As git writes it; absent for a deleted file. */
	mode?: string;
}

/**
 * pending: nothing is in the checkout. applying, undoing: a process is doing it, or was killed while it did. branched: they
 * are on a branch of the user's repository, and not in the checkout. superseded: a later run of the same session includes
 * them.
 */
export type ChangesState = "pending" | "applying" | "applied" | "undoing" | "branched" | "discarded" | "superseded";

/** Changes as the result of a run reports them. */
export interface ReportedChanges<Text extends string = string> {
	base: Pick<TreeBase, "commit" | "dirty">;
	/** Null: it changed nothing. */
	commit: string | null;
	/** 200 at most; `total` says how many there are. */
	files: ReportedFile<Text>[];
	total: Changes["total"];
	/** The files that hold them. */
	patch?: string;
	bundle?: string;
	sha256?: Changes["sha256"];
	/** The state when the result was made. */
	state: ChangesState;
	/** What the user should look at before applying them. */
	warnings: Text[];
}

export interface ReportedFile<Text extends string = string> extends Omit<ChangedFile, "path" | "from"> {
	path: Text;
	from?: Text;
}
