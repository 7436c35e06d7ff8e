import type { Command } from '../../cli/command.ts';
import { add } from './add.ts';
import { create } from './create.ts';
import { deleteCampaign } from './delete.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { results } from './results.ts';

export const commands: readonly Command[] = [create, list, get, add, results, deleteCampaign];
