/** Milliseconds that a request may take, and a message on its way is given once a signal has come. */
export const longestAnswerMs = 30_000;
