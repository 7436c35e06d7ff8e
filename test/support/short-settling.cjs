/*
 * Loaded into a process with --require: what botctl waits for to settle a lost call, a minute at most, takes 1.5 s.
 */
const { setTimeout: start } = globalThis;

globalThis.setTimeout = (callback, milliseconds, ...rest) =>
  start(callback, milliseconds > 45_000 && milliseconds <= 60_000 ? 1500 : milliseconds, ...rest);
