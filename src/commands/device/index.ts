import type { Command } from '../../cli/command.ts';
import { add } from './add.ts';
import { connect } from './connect.ts';
import { create } from './create.ts';
import { disconnect } from './disconnect.ts';
import { exportDevices } from './export.ts';
import { forget } from './forget.ts';
import { history } from './history.ts';
import { importDevices } from './import.ts';
import { list } from './list.ts';
import { repair } from './repair.ts';
import { status } from './status.ts';
import { watch } from './watch.ts';

/** The verbs of `device`. */
export const commands: readonly Command[] = [
  ...[create, connect, status, watch, history, repair, disconnect],
  ...[list, add, forget, exportDevices, importDevices],
];
