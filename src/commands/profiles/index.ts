import type { Command } from '../../cli/command.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';
import { rename } from './rename.ts';
import { set } from './set.ts';
import { show } from './show.ts';
import { use } from './use.ts';

export const commands: readonly Command[] = [list, show, use, set, rename, remove];
