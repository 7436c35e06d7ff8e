import { PassThrough, Writable } from 'node:stream';
import type { Session } from '../../../src/cli/context.ts';
import { createContext } from '../../../src/cli/create-context.ts';
import { parseGlobalOptions } from '../../../src/cli/global-options.ts';
import { openDesk } from '../../../src/desk/open-desk.ts';
import type { Io } from '../../../src/lib/io.ts';
import { Redactor } from '../../../src/secrets/redactor.ts';
import { Secret } from '../../../src/secrets/secret.ts';
import { temporaryDirectory } from '../../support/botctl.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { keySecret, openTestApi } from '../../support/open-test-api.ts';

/** A session for a part of a command, with a clock whose waits take no time. */
export interface TestSession {
  readonly session: Session;
  readonly clock: FakeClock;
  /** Returns the messages on stderr. */
  said(): string;
  type(text: string): void;
}

/**
 * Opens a session on a service, in a home of its own. Calls are not retried.
 * @param terminal whether stdin and stderr are terminals; stdout never is
 */
export function testSession(
  baseUrl: string,
  signal = new AbortController().signal,
  terminal = false,
): TestSession {
  const env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
  let said = '';
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      said += String(chunk);
      done();
    },
  });
  const stdin = new PassThrough();
  if (terminal) for (const stream of [stdin, stderr]) Object.assign(stream, { isTTY: true });
  const io: Io = { stdin, stdout: new PassThrough(), stderr, env, signal };
  const { api, clock } = openTestApi(baseUrl, { retries: 0, signal, clock: new FakeClock() });
  const context = createContext(
    io,
    parseGlobalOptions({}, env),
    async () => {
      throw new Error('no other command runs here');
    },
    new Redactor(),
    clock,
  );
  const identity = {
    baseUrl,
    keyId: 'key-1',
    keySecret: new Secret(keySecret),
    source: 'environment' as const,
    profile: undefined,
  };
  return {
    session: { ...context, ...openDesk({ ...context, identity }), api, identity },
    clock,
    said: () => said,
    type: (text) => void stdin.write(text),
  };
}
