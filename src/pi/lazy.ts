/**
 * Code that most sessions never need, loaded on demand. It is all in one file, because the bundler would put the shared parts
 * of several such files into more files, which every start of pi would have to find.
 */
export { ringTrouble } from "../sandbox/probe.ts";
export { askForTree } from "./ask-for-tree.ts";
export { commandAnswers } from "./commands/answers.ts";
export { copyConversation } from "./fork/copy.ts";
export { inspect } from "./inspector/inspect.ts";
export { answerRequest } from "./requests/answer.ts";
export { sendCallsToBackground } from "./send-to-background.ts";
export { questionDialogs } from "./show-question.ts";
export { printStillRunning, sayStillRunning } from "./still-running.ts";
