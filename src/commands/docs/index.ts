import type { Command } from '../../cli/command.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { rename } from './rename.ts';
import { upload } from './upload.ts';

export const commands: readonly Command[] = [upload, list, get, rename];
