import { execFileSync } from "node:child_process";

/** Makes a project a repository with one commit. */
export function commitProject(folder: string): void {
	const git = (...args: string[]) =>
		execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], { cwd: folder });
	git("init", "--quiet", "--initial-branch=main");
	git("add", "--all");
	git("commit", "--quiet", "--allow-empty", "--message=first");
}
