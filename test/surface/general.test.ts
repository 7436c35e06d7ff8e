import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allowanceWords } from '../../src/cli/allow.ts';
import { globalOptions } from '../../src/cli/global-options.ts';
import { topics } from '../../src/cli/help/topics.ts';
import { allCommands } from '../../src/commands/branches.ts';
import { errorStatus } from '../../src/contract/envelope.ts';
import { codeOf, exitCodes, failureKinds } from '../../src/lib/errors.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { usualNext } from '../every-command/command-surface.ts';
import { expectSurface, surfaceFile } from './surface.ts';

const source = join(packageRoot(), 'src');

/** Returns the error codes in the client's source that are not names of failure kinds. */
function furtherCodes(): readonly string[] {
  const found = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^(?:sandbox|contract)\b/.test(file))
    .flatMap((file) => [
      ...readFileSync(join(source, file), 'utf8').matchAll(/\bcode: '([A-Z]+(?:_[A-Z]+)+)'/g),
    ])
    .map(([, code = '']) => code)
    .filter((code) => !code.startsWith('UND_ERR'));
  return [...new Set(found)].toSorted();
}

/** Returns the environment variables that botctl reads. */
function variables(): readonly string[] {
  const topic = readFileSync(join(source, 'cli', 'help', 'topics', 'environment.md'), 'utf8');
  return [...topic.matchAll(/^- `(.+?)`:/gm)].flatMap(([, names = '']) => names.split(', '));
}

describe('the topic exit-codes', () => {
  it('names every error code', async () => {
    const page = await topics.find(({ name }) => name === 'exit-codes')?.load({});
    const words = JSON.stringify(page).match(/\b[A-Z][A-Z_]+\b/g) ?? [];
    const own = Object.keys(failureKinds).flatMap((kind) => codeOf(kind));
    expect(words).toEqual(expect.arrayContaining([...own, ...furtherCodes(), ...Object.keys(errorStatus)]));
  });
});

describe('the public surface', () => {
  it('of all commands is the one in test/surface', () => {
    expectSurface('general', {
      options: globalOptions.map(({ flags, choices, words }) =>
        [
          flags,
          ...(choices ? [`one of ${choices.join(' ')}`] : []),
          ...(words ? [`some of ${Object.keys(words).join(' ')}`] : []),
        ].join('; '),
      ),
      allow: allowanceWords(),
      exits: exitCodes,
      codes: {
        own: Object.entries(failureKinds).map(([kind, exit]) => `${codeOf(kind)} ${exit}`),
        further: furtherCodes(),
        service: Object.keys(errorStatus),
      },
      usualNext,
      environment: variables(),
    });
  });

  it('has each command in one file, and no other files', async () => {
    const files = readdirSync(join(packageRoot(), 'test', 'surface'))
      .filter((file) => file.endsWith('.json') && !['general.json', 'events.json'].includes(file))
      .map((file) => file.replace('.json', ''));
    const pinned = files.flatMap((file) => Object.keys(JSON.parse(readFileSync(surfaceFile(file), 'utf8'))));
    const paths = (await allCommands()).map(({ path }) => path);
    expect(pinned.toSorted()).toEqual(paths.toSorted());
  });
});
