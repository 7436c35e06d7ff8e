import type { Command } from '../../cli/command.ts';
import { create } from './create.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { overview } from './overview.ts';
import { update } from './update.ts';

export const commands: readonly Command[] = [create, list, get, overview, update];
