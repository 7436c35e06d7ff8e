import { describe, expect, it, type RunnerTestSuite } from 'vitest';
import { expectSurface, type Surface } from '../surface/surface.ts';
import { declared, SuggestedCommands } from './command-surface.ts';
import { showing } from './departures.ts';
import { walkFailures } from './fails.ts';
import { commandsOf, type Part } from './parts.ts';
import { walkSuccesses } from './succeeds.ts';

/** Runs a part of the commands in success and failure cases. Call it at the top of a test file. */
export async function walk(part: Part): Promise<void> {
  const commands = await commandsOf(part);
  const suggested = new SuggestedCommands(commands.map(({ path }) => path));
  const printed = await walkSuccesses(part);
  await walkFailures(part, suggested);

  describe('the public surface', () => {
    it.for([...new Set(commands.map(surfaceOf))])(
      'of %s is the one in test/surface',
      (name, { task, skip }) => {
        skip(!hasPassed(task.file, task.suite), 'only a whole walk that passed can tell');
        const own = commands.filter((walked) => surfaceOf(walked) === name);
        const surface = own
          .toSorted((a, b) => (a.path < b.path ? -1 : 1))
          .map(({ path, command }) => {
            const surface = declared(command);
            const members = printed.get(path);
            if (surface.fields && !(path in showing)) expect(members, `${path} printed JSON`).toBeDefined();
            const isAlike = JSON.stringify(surface.fields) === JSON.stringify(members);
            const json: Surface = isAlike ? 'the fields' : (members ?? 'not printed');
            const next = suggested.of(path);
            return [
              path,
              {
                ...surface,
                ...(surface.fields && { json }),
                ...(Object.keys(next).length > 0 && { next }),
              },
            ];
          });
        expectSurface(name, Object.fromEntries(surface));
      },
    );
  });
}

/** Returns the file of a command, which is named by its noun. */
function surfaceOf({ path }: { readonly path: string }): string {
  return path.includes(' ') ? (path.split(' ')[0] ?? '') : 'without-noun';
}

/** Returns whether every test in a suite ran and passed, except those in one inner suite. */
function hasPassed({ tasks }: RunnerTestSuite, but: RunnerTestSuite | undefined): boolean {
  return tasks.every(
    (task) => task === but || (task.type === 'suite' ? hasPassed(task, but) : task.result?.state === 'pass'),
  );
}
