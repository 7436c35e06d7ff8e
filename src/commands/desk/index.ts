import type { Command } from '../../cli/command.ts';
import { dismiss } from './dismiss.ts';
import { migrate } from './migrate.ts';
import { status } from './status.ts';

export const commands: readonly Command[] = [status, dismiss, migrate];
