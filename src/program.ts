import { type Argv, readArgv, readLine } from './cli/argv.ts';
import { parseGlobalOptions } from './cli/global-options.ts';
import { branches, scopeOf } from './commands/branches.ts';
import type { Clock } from './lib/clock.ts';
import { asFailure, CommandExit, exitCodes, Failure } from './lib/errors.ts';
import type { Io } from './lib/io.ts';
import { redactedIo } from './secrets/redacted-io.ts';
import { Redactor } from './secrets/redactor.ts';

/**
 * Runs one command line. Returns its exit code; never throws. Secrets learned meanwhile are masked on both streams,
 * except in a result that consists of them.
 */
export async function run(
  args: readonly string[],
  io: Io,
  redactor: Redactor = new Redactor(),
  clock?: Clock,
): Promise<number> {
  const argv = readArgv(args, io.env);
  const redacted = redactedIo(io, redactor);
  if (io.env.BOTCTL_KEY_SECRET) redactor.learn(io.env.BOTCTL_KEY_SECRET);
  try {
    if (args[0] === '__complete') {
      const { completionLines } = await import('./cli/completion/complete.ts');
      // If the shell no longer reads, no error needs to be reported.
      io.deferWriteErrors?.();
      redacted.io.stdout.write(await completionLines(args.slice(1), branches, io.env));
    } else await runLine(argv, redacted.io, redactor, clock);
    return exitCodes.done;
  } catch (thrown) {
    return await tell(thrown, argv, redacted.io, redactor);
  } finally {
    redacted.end();
  }
}

/**
 * Runs the command of a command line, or shows the help that it requests.
 * @throws Failure
 */
async function runLine(argv: Argv, io: Io, redactor: Redactor, clock: Clock | undefined): Promise<void> {
  const line = await readLine(argv, branches);
  if (line.values.version === true) {
    const { versionLine } = await import('./lib/build-info.ts');
    io.stdout.write(`${versionLine()}\n`);
    return;
  }
  if (argv.beginsWithHelp || line.values.help === true) {
    const { showHelp } = await import('./cli/help/show.ts');
    await showHelp(line, branches, io);
    return;
  }
  const { command, input, problem } = line;
  if (problem?.kind === 'noCommand' && !argv.jsonErrors) {
    // For a noun without verb its help is the best answer, except in a script.
    const { helpOf } = await import('./cli/help/tree.ts');
    io.stderr.write(helpOf(line, branches, io.stderr));
    throw new CommandExit(exitCodes.usage);
  }
  if (problem || !command || !input) {
    const { usageFailureOf } = await import('./cli/usage/usage-failure.ts');
    throw await usageFailureOf(line, problem ?? { kind: 'noCommand' }, branches);
  }
  const globals = { ...parseGlobalOptions(line.values, io.env), scopeOf };
  const { runCommand } = await import('./cli/runner.ts');
  await runCommand(command, input, {
    io,
    globals,
    redactor,
    run: (args, streams) => run(args, streams, undefined, clock),
    clock,
  });
}

/**
 * Reports an error thrown outside of a command on stderr, like any other failure of that command line. Returns the exit
 * code.
 */
export async function tellCrash(
  thrown: unknown,
  args: readonly string[],
  io: Io,
  redactor: Redactor,
): Promise<number> {
  const redacted = redactedIo(io, redactor);
  try {
    return await tell(thrown, readArgv(args, io.env), redacted.io, redactor);
  } finally {
    redacted.end();
  }
}

/** Reports the failure of a command line on stderr. Returns its exit code. */
async function tell(thrown: unknown, argv: Argv, io: Io, redactor: Redactor): Promise<number> {
  if (thrown instanceof CommandExit) return thrown.exitCode;
  const { jsonErrors: json, debug, color, profile, baseUrl, caFile, insecureHttp, database } = argv;
  const own = asFailure(thrown);
  // A usage error did nothing that a signal could end, and reading the signal would install the signal handlers.
  const ended: unknown = own.kind !== 'usage' && io.signal.aborted ? io.signal.reason : undefined;
  const failure = ended instanceof Failure && !own.isInterruption ? own.afterSignal(ended) : own;
  if (io.isStep && (failure.isInterruption || failure.kind === 'declined')) return failure.exitCode;
  const { renderFailure } = await import('./output/failure.ts');
  await renderFailure(failure, io, {
    json,
    debug,
    color,
    profile,
    baseUrl,
    caFile,
    insecureHttp,
    database,
    scopeOf,
    redact: (text) => redactor.text(text),
  });
  return failure.exitCode;
}
