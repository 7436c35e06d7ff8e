import type { PagedEndpoint, ResourceRow } from '../client/api.ts';
import { Failure } from '../lib/errors.ts';
import { oneLine } from '../lib/text/one-line.ts';
import { command, joinRemarks, type Remark, type RemarkText, remark } from '../lib/text/remark.ts';
import { toListedRow } from './listed-row.ts';
import { rowsNamed } from './resolve.ts';
import type { ResourceContext } from './resource-context.ts';

/** The thing that a create should have made, as it is looked for in a list. */
export type Sought =
  /** No endpoint shows a team's administrator, so name and plan have to do. */
  | { readonly noun: 'team'; readonly name: string; readonly planName: string }
  | { readonly noun: 'bot'; readonly name: string; readonly teamId: string }
  | {
      readonly noun: 'document';
      readonly name: string;
      readonly teamId: string;
      /** Bytes. */
      readonly size: number;
      readonly chars: number;
    };

type LookupContext = Pick<ResourceContext, 'api' | 'clock' | 'signal' | 'reporter'>;

interface Noun {
  readonly list: PagedEndpoint;
  /** The command that knows it. */
  readonly commandName: string;
}

const nouns: Readonly<Record<Sought['noun'], Noun>> = {
  team: { list: 'listTeams', commandName: 'teams' },
  bot: { list: 'listBots', commandName: 'bots' },
  document: { list: 'listDocuments', commandName: 'docs' },
};

/** A lookup takes no longer: after one lost answer, others may be lost too. */
const maxLookupMs = 15_000;

/** Times of one service may be apart so much: they count seconds, or come from several machines. */
const timeToleranceMs = 2000;

/** This machine's clock may be wrong so much, if the service doesn't tell the time. */
const clockToleranceMs = 5 * 60_000;

/**
 * Creates something. If the answer is lost, looks for what the call may have made and says what it found:
 * as probably created, never as proof, since somebody else may have made it.
 * @throws Failure as `create`; `outcomeUnknown` carries the findings in its hint and as
 *   `details.probably_created`
 */
export async function createOrLookUp<T>(
  context: LookupContext,
  sought: Sought,
  create: () => Promise<T>,
): Promise<T> {
  const began = context.clock.now();
  try {
    return await create();
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.kind !== 'outcomeUnknown') throw thrown;
    context.reporter.note(`The answer was lost; looking for the ${sought.noun}.`);
    throw await withFindings(thrown, context, sought, began);
  }
}

/** The members of a row by which a person recognises it. */
interface Finding {
  readonly id: string;
  readonly name: string;
  readonly created_at: string | null;
}

async function withFindings(
  lost: Failure,
  { api, signal }: LookupContext,
  sought: Sought,
  began: number,
): Promise<Failure> {
  const found: Finding[] = [];
  const { list } = nouns[sought.noun];
  const timeout = AbortSignal.timeout(maxLookupMs);
  try {
    const teamId = sought.noun === 'team' ? undefined : sought.teamId;
    const within = AbortSignal.any([signal, timeout]);
    for await (const row of rowsNamed(api, list, sought.name, { teamId, signal: within })) {
      if (isLike(row, sought) && isSince(row, began, api.clockAhead())) found.push(finding(row));
    }
  } catch (thrown) {
    signal.throwIfAborted();
    const why = timeout.aborted ? 'it took too long.' : thrown instanceof Error ? thrown.message : '';
    return failureWith(
      lost,
      joinRemarks([`Looking for the ${sought.noun} failed: ${why}`, lost.hint], ' '),
      undefined,
    );
  }
  const doubt =
    api.clockAhead() === undefined && found.length > 0
      ? 'The service tells no time, so it may also be from the five minutes before.'
      : undefined;
  return failureWith(lost, joinRemarks([sentences(sought, found), doubt], ' '), found);
}

function failureWith(
  lost: Failure,
  hint: RemarkText | undefined,
  found: readonly Finding[] | undefined,
): Failure {
  const service = lost.details ?? undefined;
  return new Failure('outcomeUnknown', lost.message, {
    hint,
    code: lost.code,
    status: lost.status,
    details: {
      ...(found && { probably_created: found }),
      ...(service !== undefined && { service }),
    },
    cause: lost,
  });
}

function sentences({ noun, name }: Sought, found: readonly Finding[]): Remark {
  const { commandName } = nouns[noun];
  const [only, ...others] = found;
  const list = command(commandName, 'list', '--name', oneLine(name, 200));
  if (!only)
    return remark`No such ${noun} has appeared yet, but it still may. Look again before you repeat: ${list}`;
  if (others.length > 0) {
    return remark`${String(found.length)} such ${noun}s have appeared since, so it was probably created. Look before you repeat: ${list}`;
  }
  return remark`Such a ${noun} has appeared since, so it was probably created. Look before you repeat: ${command(commandName, 'get', only.id)}`;
}

/** True if a row says the same as the request did. A member that is missing says nothing against it. */
function isLike(row: ResourceRow, sought: Sought): boolean {
  if (row.name !== sought.name) return false;
  const agrees = (member: string, value: string | number): boolean => {
    const there: unknown = row[member];
    return (
      there === undefined || there === null || String(there).toLowerCase() === String(value).toLowerCase()
    );
  };
  if (sought.noun === 'team') return agrees('plan_name', sought.planName);
  if (!agrees('team_id', sought.teamId)) return false;
  return sought.noun === 'bot' || (agrees('size', sought.size) && agrees('chars', sought.chars));
}

/**
 * True if a row was created after the call began.
 * @param began by this machine's clock
 * @param ahead what `Api.clockAhead` tells
 */
function isSince(row: ResourceRow, began: number, ahead: number | undefined): boolean {
  const created = Date.parse(toListedRow(row).createdAt ?? '');
  if (Number.isNaN(created)) return true;
  const earliest = ahead === undefined ? began - clockToleranceMs : began + ahead - timeToleranceMs;
  return created >= earliest;
}

function finding(row: ResourceRow): Finding {
  const { id, name = '', createdAt = null } = toListedRow(row);
  return { id, name, created_at: createdAt };
}
