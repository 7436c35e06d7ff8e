import { constants } from 'node:os';

/**
 * Works, and cleans up afterwards, in success, failure or interruption: a signal that would end the process ends it once
 * everything is cleaned up.
 * @param cleanUp called once
 */
export async function withCleanUp<T>(
  cleanUp: () => void | Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  let cleaning: Promise<void> | undefined;
  const cleanUpOnce = (): Promise<void> => {
    cleaning ??= Promise.resolve(cleanUp());
    return cleaning;
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    await cleanUpOnce();
    process.exit(128 + constants.signals[signal]);
  };
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, end);
  try {
    return await work();
  } finally {
    await cleanUpOnce();
    for (const signal of signals) process.off(signal, end);
  }
}
