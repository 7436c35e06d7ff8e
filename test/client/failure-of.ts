import { Failure } from '../../src/lib/errors.ts';

/** Returns the failure of a call that must fail. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const thrown: unknown = await promise.then(
    (value) => new Error(`succeeded with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (thrown instanceof Failure) return thrown;
  throw thrown;
}
