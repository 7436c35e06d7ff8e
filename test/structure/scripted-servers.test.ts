import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** The tests' own servers, each of which says in its file what the sandbox can't be made to do. */
const servers = [
  'cli/list/list-service.ts',
  'cli/several.test.ts',
  'client/call.test.ts',
  'client/command-line.test.ts',
  'client/pages-ahead.test.ts',
  'client/pages.test.ts',
  'client/raw.test.ts',
  'client/token.test.ts',
  'client/transport.test.ts',
  'client/upload.test.ts',
  'commands/api/api.test.ts',
  'commands/bots/writing.test.ts',
  'commands/device/pairing/follow.test.ts',
  'commands/device/pairing/picture-file.test.ts',
  'commands/doctor/support.ts',
  'commands/keys/front.ts',
  'commands/keys/keys.test.ts',
  'commands/outcome.test.ts',
  'commands/profiles/service.test.ts',
  'commands/sandbox/key-create.test.ts',
  'commands/sandbox/not-running.test.ts',
  'commands/sandbox/start.test.ts',
  'commands/signals.test.ts',
  'commands/teams/requests.test.ts',
  'commands/tenants/secrets.test.ts',
  'commands/undelivered.test.ts',
  'commands/unsendable-text.test.ts',
  'database/pool.test.ts',
  'every-command/front.ts',
  'learn/odd-services.test.ts',
  'process/silent-database.test.ts',
  'pty/shell-loop.test.ts',
  'resources/devices/pairing/start-over.test.ts',
  'resources/devices/repair-steps.test.ts',
  'resources/documents/many-names.test.ts',
  'resources/resolve.test.ts',
  'sandbox/behind-proxy.test.ts',
  'sandbox/form-body.test.ts',
  'sandbox/start.test.ts',
  'secrets/telltale-service.ts',
  'secrets/unreadable-answers.test.ts',
  'support/password-server.ts',
  'support/relay.ts',
  'support/test-proxy.ts',
  'support/tidying-service.ts',
  'terminal/hostile-service.ts',
];

const tests = fileURLToPath(new URL('..', import.meta.url));
const self = relative(tests, import.meta.filename);
const makesOne = /\b(startScriptedServer|createServer|createTlsServer)\(/;
const reason = /^ *\/\/ (A scripted server|Scripted servers|A server of its own) /m;

it('tests have no server beside the sandbox but where its faults, behaviours and log can not say the same', () => {
  // Measurements compare the sandbox with the least that does the same.
  const isOwn = (name: string): boolean => name.endsWith('.ts') && !name.startsWith('bench/');
  const found = readdirSync(tests, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(tests, join(parentPath, name)))
    .filter((name) => isOwn(name) && name !== 'support/scripted-server.ts' && name !== self)
    .map((name) => ({ name, text: readFileSync(join(tests, name), 'utf8') }))
    .filter(({ text }) => makesOne.test(text));
  expect(found.map(({ name }) => name).sort()).toEqual(servers);
  expect(found.filter(({ text }) => !reason.test(text)).map(({ name }) => name)).toEqual([]);
});
