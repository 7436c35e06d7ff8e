import { Option } from 'commander';
import { expect, it } from 'vitest';
import { optionGroups } from '../../../src/cli/help/option-groups.ts';
import { allCommands } from '../../../src/commands/branches.ts';

it('has only groups with options that exist, and each option in one group', async () => {
  const names = (await allCommands()).flatMap(({ command }) =>
    Object.values(command.options).map(({ flags }) => new Option(flags).name()),
  );
  const grouped = Object.values(optionGroups).flat();
  expect(grouped.filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(grouped).size).toBe(grouped.length);
});
