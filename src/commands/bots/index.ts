import type { Command } from '../../cli/command.ts';
import { actionCommands } from './actions.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { diff } from './diff.ts';
import { documentCommands } from './documents.ts';
import { edit } from './edit.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { questionCommands } from './questions.ts';
import { update } from './update.ts';

export const commands: readonly Command[] = [
  create,
  list,
  get,
  update,
  edit,
  diff,
  remove,
  ...questionCommands,
  ...actionCommands,
  ...documentCommands,
];
