/** As the system fails. Without a stack: to write one down takes longer than most of what a process does in an event. */
export function systemError(code: string, message = code): Error {
	const { stackTraceLimit } = Error;
	Error.stackTraceLimit = 0;
	const error = Object.assign(new Error(message), { code });
	Error.stackTraceLimit = stackTraceLimit;
	return error;
}
