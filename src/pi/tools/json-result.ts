/** A tool result that is data: the same for the model to read as for programs. */
export const jsonResult = <Details>(details: Details) => ({
	content: [{ type: "text" as const, text: JSON.stringify(details, null, 1) }],
	details,
});
