import { Failure } from '../../src/lib/errors.ts';

/** What a call that has to fail fails with. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const thrown: unknown = await promise.then(
    (value) => new Error(`succeeded with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (thrown instanceof Failure) return thrown;
  throw thrown;
}
