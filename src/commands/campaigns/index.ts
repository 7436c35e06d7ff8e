import type { Command } from '../../cli/command.ts';
import { add } from './add.ts';
import { create } from './create.ts';
import { deleteCampaign } from './delete.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { cancel, pause } from './mark.ts';
import { migrate } from './migrate.ts';
import { results } from './results.ts';
import { run } from './run.ts';
import { settle } from './settle.ts';
import { test } from './test.ts';

export const commands: readonly Command[] = [
  create,
  list,
  get,
  add,
  test,
  run,
  results,
  settle,
  pause,
  cancel,
  deleteCampaign,
  migrate,
];
