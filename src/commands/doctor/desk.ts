import type { RoleResult } from '../../desk/privileges.ts';
import { databaseLabel } from '../../lib/database-address.ts';
import { Failure } from '../../lib/errors.ts';
import { command, joinRemarks, type RemarkText, remark } from '../../lib/text/remark.ts';
import { durationInWords } from '../../lib/time.ts';
import { originOf } from '../../settings/base-url.ts';
import { deskDatabase, type NamedDatabase } from '../../settings/database-name.ts';
import { type Answer, ok, orFailure, type Subject, warning } from './check.ts';
import { unwritableReason } from './files.ts';
import { setClock } from './service.ts';

/** The tolerated difference between the clocks of a desk and this machine, in milliseconds. */
const clockToleranceMs = 60_000;

/** A part of the answer. */
interface Part {
  readonly found: string;
  readonly remedy?: RemarkText | undefined;
  /** True if no action is needed. */
  readonly isFine?: boolean;
}

/**
 * Checks the database of the desk, and the copy and the outbox of this machine. Does not flush the outbox.
 * @throws Failure if commands can't use the desk: its database refuses, or files of this machine were not moved to it
 */
export async function deskAnswer(subject: Subject): Promise<Answer | undefined> {
  const { context, known } = subject;
  const { data } = context.settings.paths;
  // The environment may name a desk without credentials.
  const identity = known instanceof Failure ? undefined : known;
  const address = deskDatabase({ io: context.io, identity: { settings: identity?.settings } });
  if (address === undefined) return undefined;
  const { requireMove } = await import('../../desk/require-move.ts');
  const database = await orFailure(() => databaseParts(subject, address));
  const unmoved =
    identity && (await orFailure(() => requireMove(data, originOf(identity.baseUrl), address.url)));
  const failures = [database, unmoved].filter((one) => one instanceof Failure);
  const isAway = database instanceof Failure && database.kind === 'network';
  const parts: readonly Part[] = [
    ...(database instanceof Failure ? [] : database),
    ...failures.map(({ message, hint }) => ({ found: message, remedy: hint })),
    ...(await machineParts(subject, address, isAway)),
  ];
  const found = parts.map((part) => part.found).join(' ');
  const remedy = joinRemarks(parts.map((part) => part.remedy));
  // While the database is away, commands continue with the copy and the outbox.
  const broken = failures.find(({ kind }) => kind !== 'network');
  if (broken) throw new Failure(broken.kind, found, { hint: remedy, cause: broken });
  return parts.every(({ isFine }) => isFine) ? ok(found) : warning(found, remedy);
}

/** Checks for changes that wait for a desk that this machine no longer uses. */
export async function strandedAnswer({ context, known }: Subject): Promise<Answer | undefined> {
  const { settings, io } = context;
  const { strandedOutboxes, strandedProblem } = await import('../../desk/stranded-outbox.ts');
  const outboxes = strandedOutboxes(settings.paths.data, settings.profiles.list(), io);
  if (outboxes.length === 0) return undefined;
  const profile = known instanceof Failure ? undefined : known.profile;
  const problems = outboxes.map((outbox) => strandedProblem(outbox, profile));
  return warning(
    problems.map(({ found }) => found).join(' '),
    joinRemarks(problems.map(({ remedy }) => remedy)),
  );
}

/** Connects to a desk and checks it. @throws Failure as `connectDesk` */
async function databaseParts({ context }: Subject, address: NamedDatabase): Promise<readonly Part[]> {
  const { clock, signal } = context;
  const [{ connectDesk }, { summarizeRole }] = await Promise.all([
    import('../../desk/connect.ts'),
    import('../../desk/desk-summary.ts'),
  ]);
  const warnings: Part[] = [];
  const warn = (text: string): void => void warnings.push({ found: text });
  const desk = await connectDesk(address, { patience: 'brief', signal, warn });
  try {
    const { role, missing, isPartial, clockAheadMs } = await summarizeRole(desk, () => clock.now());
    const name = databaseLabel(address.url);
    return [
      {
        found: `${name}, on PostgreSQL ${desk.version}, schema ${desk.schema}: this user is ${articles[role]} ${role}.`,
        isFine: true,
      },
      ...warnings,
      ...(isPartial ? [lackOf(missing)] : []),
      clockPart(clockAheadMs),
    ];
  } finally {
    await desk.close();
  }
}

const articles: Readonly<Record<RoleResult['role'], string>> = { owner: 'an', agent: 'an', reader: 'a' };

function lackOf(missing: readonly string[]): Part {
  return {
    found: `It lacks privileges of an agent: ${missing.join(', ')}.`,
    remedy: remark`The owner grants them: ${command('help', 'desk')}`,
  };
}

function clockPart(aheadMs: number): Part {
  if (Math.abs(aheadMs) <= clockToleranceMs)
    return { found: 'Its clock agrees with that of this machine.', isFine: true };
  return {
    found: `Its clock is ${durationInWords(aheadMs / 1000)} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of this machine.`,
    remedy: setClock(),
  };
}

/** Checks the copy and the outbox of this machine. */
async function machineParts(
  { context }: Subject,
  address: NamedDatabase,
  isAway: boolean,
): Promise<readonly Part[]> {
  const { signal, clock, settings } = context;
  const [{ deskFiles }, { copyAge, outboxProblems, summarizeOutbox }] = await Promise.all([
    import('../../desk/desk-files.ts'),
    import('../../desk/outbox-summary.ts'),
  ]);
  const files = deskFiles(settings.paths.data, address.url, signal);
  const { directory, copy, outbox } = files;
  const reason = unwritableReason(directory);
  const problems = outboxProblems(summarizeOutbox(files), isAway);
  return [
    { found: copyAge(copy, clock.now()), isFine: true },
    ...(reason === undefined
      ? []
      : [
          {
            found: `No change can wait in ${directory}: ${reason}.`,
            remedy: `Make ${directory} a directory that you may write.`,
          },
        ]),
    ...problems,
    ...(problems.length === 0 ? [emptyOutbox(outbox.file, isAway)] : []),
  ];
}

function emptyOutbox(file: string, isAway: boolean): Part {
  const found = isAway ? `Changes wait in ${file} until it is back; there are none yet.` : 'No change waits.';
  return { found, isFine: true };
}
