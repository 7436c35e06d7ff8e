import { expect, it } from 'vitest';
import { departing } from './departures.ts';
import { walkedCommands } from './lines.ts';

it('only commands that exist depart from the common requirements', async () => {
  const paths = (await walkedCommands()).map(({ path }) => path);
  expect(departing.filter((path) => !paths.includes(path))).toEqual([]);
});
