import { type Command, defineCommand } from '../../cli/command.ts';
import { clockAdvance } from './clock.ts';
import { faultAdd } from './fault-add.ts';
import { faultClear } from './fault-clear.ts';
import { faultList } from './fault-list.ts';
import { keyCreate } from './key-create.ts';
import { keyDeactivate } from './key-deactivate.ts';
import { log } from './log.ts';
import { messages } from './messages.ts';
import { migrate } from './migrate.ts';
import { phoneActions } from './phone-actions.ts';
import { phoneScan } from './phone-scan.ts';
import { publish } from './publish.ts';
import { reset } from './reset.ts';
import { run } from './run.ts';
import { seed } from './seed.ts';
import { start } from './start.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';

const openapi = defineCommand({
  name: 'openapi',
  summary: 'Print the API as an OpenAPI 3.1 document',
  examples: [
    { line: 'botctl sandbox openapi', does: 'Print the whole API' },
    { line: 'botctl sandbox openapi > openapi.json', does: 'Save it for other tools' },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: { kind: 'text' },
  async run() {
    const { openApiDocument } = await import('../../contract/openapi.ts');
    return JSON.stringify(openApiDocument(), null, 2);
  },
});

export const commands: readonly Command[] = [
  start,
  run,
  status,
  stop,
  reset,
  seed,
  publish,
  phoneScan,
  ...phoneActions,
  keyCreate,
  keyDeactivate,
  clockAdvance,
  faultAdd,
  faultList,
  faultClear,
  log,
  messages,
  openapi,
  migrate,
];
