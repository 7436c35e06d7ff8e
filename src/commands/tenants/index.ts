import type { Command } from '../../cli/command.ts';
import { forget } from './forget.ts';
import { plan } from './plan.ts';
import { show } from './show.ts';

export const commands: readonly Command[] = [plan, show, forget];
