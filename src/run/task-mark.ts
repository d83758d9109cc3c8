/** Marks in the child's session file where a run begins, so that a later attempt knows whether the child has its task. */
export const TASK_MARK = "pi-geon:task";
