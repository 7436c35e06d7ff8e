import type { Command } from '../../cli/command.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { rotate } from './rotate.ts';

export const commands: readonly Command[] = [create, list, get, rotate, remove];
