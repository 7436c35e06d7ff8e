import type { Command } from '../../cli/command.ts';
import { count } from './count.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { rename } from './rename.ts';
import { sync } from './sync.ts';
import { upload } from './upload.ts';

export const commands: readonly Command[] = [upload, sync, count, list, get, rename];
