import type { Command } from '../../cli/command.ts';
import { apply } from './apply.ts';
import { exportTenants } from './export.ts';
import { forget } from './forget.ts';
import { importCommand } from './import.ts';
import { init } from './init.ts';
import { plan } from './plan.ts';
import { rebind } from './rebind.ts';
import { schema } from './schema.ts';
import { show } from './show.ts';
import { validate } from './validate.ts';

export const commands: readonly Command[] = [
  init,
  validate,
  schema,
  plan,
  apply,
  exportTenants,
  show,
  importCommand,
  forget,
  rebind,
];
