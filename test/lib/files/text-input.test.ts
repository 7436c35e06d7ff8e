import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { Failure } from '../../../src/lib/errors.ts';
import { readStdin } from '../../../src/lib/files/text-input.ts';
import { failureOf } from '../../client/failure-of.ts';

function ioOf(stdin: Readable, signal: AbortSignal) {
  return { stdin, stdout: new PassThrough(), stderr: new PassThrough(), env: {}, signal };
}

it('stdin is read until the first signal', async () => {
  const abort = new AbortController();
  const stdin = new PassThrough();
  stdin.write('never ends');
  const reading = failureOf(readStdin(ioOf(stdin, abort.signal), '-'));
  abort.abort(new Failure('terminated', 'Terminated.'));
  expect(await reading).toMatchObject({ kind: 'terminated' });
  const late = failureOf(readStdin(ioOf(new PassThrough(), abort.signal), '-'));
  expect(await late).toMatchObject({ kind: 'terminated' });
});

it('stdin is read no further than the limit of a text', async () => {
  let given = 0;
  const endless = Readable.from(
    (function* () {
      for (;;) {
        given += 1;
        yield Buffer.alloc(1024 ** 2);
      }
    })(),
  );
  const failed = await failureOf(readStdin(ioOf(endless, new AbortController().signal), '-'));
  expect(failed).toMatchObject({ kind: 'invalidInput', message: 'stdin is larger than 64 MiB.' });
  expect(given).toBeLessThan(100);
});
