import type { Command } from '../../cli/command.ts';
import { add } from './add.ts';
import { importOptOuts } from './import.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';

export const commands: readonly Command[] = [add, remove, list, importOptOuts];
