import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandResult, defineCommand } from '../../cli/command.ts';
import { argumentList } from '../../cli/options.ts';
import { withSandboxHint } from '../../cli/sandbox-hints.ts';
import { CommandExit, messageOf } from '../../lib/errors.ts';
import { text } from '../../lib/parse.ts';
import type { Reporter } from '../../lib/reporter.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { oneLine } from '../../lib/text/sentence.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { serverOf, warnOfUnverified } from './database-options.ts';
import { portOption, serviceOptions, warnOfError } from './service-options.ts';

export const run = defineCommand({
  name: 'run',
  summary: 'Run a command with a temporary sandbox',
  description:
    'Starts an empty sandbox in a temporary directory, runs the command, and deletes the sandbox (data in --database is ' +
    'kept). In the environment of the command BOTCTL_BASE_URL, BOTCTL_KEY_ID, BOTCTL_KEY_SECRET and BOTCTL_SANDBOX_DATA ' +
    'name the sandbox, and BOTCTL_CONFIG_DIR is an empty directory. Signals are passed on to the command, and botctl ' +
    'prints nothing on stdout. Exits with the exit code of the command: 128 plus the number of the signal that ended it, ' +
    '127 if the command is not found.',
  arguments: {
    command: { ...argumentList('the command and its arguments', text), isCommand: true },
  },
  options: {
    port: portOption(0),
    ...serviceOptions,
  },
  examples: [
    { line: 'botctl sandbox run ./check.sh', does: 'Test a script against an empty service' },
    {
      line: 'botctl sandbox run --phone manual -- npm test',
      does: 'Run tests that scan the pairing codes themselves',
    },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: { kind: 'nothing' },
  async run(context, { command: words, database, files, ...service }) {
    const server = serverOf(context, { database, files });
    warnOfUnverified(server, context.terminal);
    const home = mkdtempSync(join(tmpdir(), 'botctl-sandbox-'));
    const remove = (): void => rmSync(home, { recursive: true, force: true });
    // A second signal ends the process at once, so the removal is also done on exit.
    process.once('exit', remove);
    try {
      const { startSandbox } = await import('../../sandbox/start.ts');
      const sandbox = await startSandbox({
        ...service,
        data: join(home, 'data'),
        server,
        hasPassingKey: true,
        onError: (error, call) => warnOfError(context, error, call),
      });
      const { runCommand } = await import('./run-command.ts');
      const exitCode = await runCommand(
        words,
        environmentOf(context.io.env, sandbox, home),
        context.io,
      ).finally(() => end(sandbox, server !== undefined, context.terminal));
      if (exitCode !== 0) throw new CommandExit(exitCode);
    } catch (error) {
      throw withSandboxHint(error, context, true);
    } finally {
      process.off('exit', remove);
      remove();
    }
    // The command gets the signal too, and its exit code is used.
    return new CommandResult(undefined, { isEndless: true });
  },
});

/**
 * Stops a sandbox. If its data remains on a database server, its key is deleted, because its secret is then lost. If
 * the database is away by then, the outcome of the command does not change.
 */
async function end(sandbox: Sandbox, staysBehind: boolean, reporter: Reporter): Promise<void> {
  try {
    if (!staysBehind) return;
    const { callControl } = await import('../../sandbox/control/client.ts');
    await callControl(sandbox.control, '/key/delete', { key_id: sandbox.keyId }).catch((error: unknown) => {
      const line = command('sandbox', 'key', 'deactivate', sandbox.keyId);
      reporter.warn(
        remark`The key of this run may still be valid (${oneLine(messageOf(error), 500)}). When a sandbox runs on the database, deactivate it: ${line}`,
      );
    });
  } finally {
    await sandbox.stop();
  }
}

/** Returns the environment of the command, with only the key of this sandbox. */
function environmentOf(env: NodeJS.ProcessEnv, sandbox: Sandbox, home: string): NodeJS.ProcessEnv {
  const {
    BOTCTL_PROFILE: _profile,
    BOTCTL_KEY_SECRET_FILE: _file,
    BOTCTL_SANDBOX_DATABASE: _database,
    BOTCTL_DESK_DATABASE: _desk,
    ...rest
  } = env;
  return {
    ...rest,
    BOTCTL_BASE_URL: sandbox.baseUrl,
    BOTCTL_KEY_ID: sandbox.keyId,
    BOTCTL_KEY_SECRET: sandbox.keySecret.reveal(),
    BOTCTL_SANDBOX_DATA: sandbox.data,
    BOTCTL_CONFIG_DIR: join(home, 'botctl'),
  };
}
