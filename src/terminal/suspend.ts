/** False on Windows, which can't continue a stopped process. */
export const canSuspend = process.platform !== 'win32';

/** A process that still runs after this time was not stopped. */
const maxStoppingMs = 200;

/**
 * Stops the process group, as Ctrl-Z does on a terminal that isn't in raw mode. The whole group, as the terminal
 * does it: the shell may wait for the parent of this process.
 */
export function stopGroup(): void {
  process.kill(0, 'SIGTSTP');
}

/**
 * Stops the process, and calls back once when it continues. The terminal must be restored before.
 * @param stop `stopGroup` except in tests
 * @returns a function that removes the callback
 */
export function suspend(stop: () => void, onResume: () => void): () => void {
  const resume = (): void => {
    forget();
    onResume();
  };
  const forget = (): void => {
    clearTimeout(stopping);
    process.off('SIGCONT', resume);
  };
  process.on('SIGCONT', resume);
  // Without a shell that could continue the process, the system doesn't stop it either.
  const stopping = setTimeout(resume, maxStoppingMs);
  stop();
  return forget;
}
