/** False on Windows, which has nothing that could wake a stopped process again. */
export const canSuspend = process.platform !== 'win32';

/** A process that still runs after this time isn't going to be stopped. */
const maxStoppingMs = 200;

/**
 * Stops the process group, as Ctrl-Z does on a terminal that isn't raw. To all of the line, as the terminal does it
 * itself: the shell may wait for what started this process.
 */
export function stopGroup(): void {
  process.kill(0, 'SIGTSTP');
}

/**
 * Stops the process, and calls back once when it goes on. The terminal has to be given back before.
 * @param stop `stopGroup` but in tests
 * @returns a function that forgets the callback
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
  // Where no shell is there to wake it, the system doesn't stop it either.
  const stopping = setTimeout(resume, maxStoppingMs);
  stop();
  return forget;
}
