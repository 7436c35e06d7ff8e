import { Failure } from '../errors.ts';

/** Returns the code of an error of the system, such as `ENOENT`, or undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  if (error instanceof Failure || !(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
