// Judges every file in src/ in a subagent of its own, checks each finding in another, and returns the ones that hold.
const { output } = await tools.bash({ command: "ls src/*.ts" });
const files = output.trim().split("\n");

const judged = await Promise.all(
	files.map(async (file) => ({ file, ...(await tools.subagent({ agent: "judge", task: `Judge ${file}.` })) })),
);

// Two judges may report the same place.
const findings = new Map();
for (const { file, status, value } of judged) {
	if (status !== "SUCCESS") continue;
	for (const { line, problem } of value.findings) findings.set(`${file}:${line}`, { file, line, problem });
}

const checked = await Promise.all(
	[...findings.values()].map(async (finding) => {
		const task = `Does this hold? ${finding.file}, line ${finding.line}: ${finding.problem}`;
		const { status, value, error } = await tools.subagent({ agent: "verifier", task });
		return { ...finding, ...(status === "SUCCESS" ? value : { unchecked: error.message }) };
	}),
);

return {
	holds: checked.filter(({ holds }) => holds),
	unchecked: checked.filter(({ unchecked }) => unchecked),
	notJudged: judged.filter(({ status }) => status !== "SUCCESS").map(({ file, error }) => ({ file, why: error.message })),
};
