/** The text of an agent file. */
export const agentNamed = (name: string, prompt: string, more = "tools: read"): string =>
	`---\nname: ${name}\ndescription: ${name}, for a test\n${more}\n---\n${prompt}\n`;
