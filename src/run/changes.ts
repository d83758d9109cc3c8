/** The checkout when a run began, as a commit. */
export interface TreeBase {
	commit: string;
	/** The commit that the checkout was on; undefined without git, and before the first commit. */
	head?: string;
	/** Whether the checkout had anything that this commit has not. */
	dirty: boolean;
}

/** What a run changed in its tree, as data. Nothing of it is in the user's checkout until the user says so. */
export interface Changes {
	base: TreeBase;
	commit: string;
	files: ChangedFile[];
	total: { files: number; added: number; removed: number };
	/** Of the two files that hold them. */
	sha256: { patch: string; bundle: string };
	warnings: string[];
}

export interface ChangedFile {
	path: string;
	/** Its name before, if it was renamed. */
	from?: string;
	status: "A" | "M" | "D" | "R" | "T";
	added: number;
	removed: number;
	binary?: true;
	/** As git writes it; absent of a deleted one. */
	mode?: string;
}

/**
 * pending: nothing is in the checkout. applying, undoing: a process is at it, or was killed. branched: they are on a branch of
 * the user's repository, and not in the checkout. superseded: a later run of the same session has them too.
 */
export type ChangesState = "pending" | "applying" | "applied" | "undoing" | "branched" | "discarded" | "superseded";

/** Changes as the result of a run tells them. */
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
	/** When the result was made. */
	state: ChangesState;
	/** What somebody should look at before they are applied. */
	warnings: Text[];
}

export interface ReportedFile<Text extends string = string> extends Omit<ChangedFile, "path" | "from"> {
	path: Text;
	from?: Text;
}
