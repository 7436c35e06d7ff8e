/*
 * Preloaded with --require: shortens botctl's waits for the outcome of a lost call, at most a minute each, to 1.5 s.
 */
const { setTimeout: start } = globalThis;

globalThis.setTimeout = (callback, milliseconds, ...rest) =>
  start(callback, milliseconds > 45_000 && milliseconds <= 60_000 ? 1500 : milliseconds, ...rest);
