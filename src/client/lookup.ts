import { Failure } from '../errors.ts';
import type { Clock } from '../io.ts';
import { oneLine } from '../text/one-line.ts';
import { shellWord } from '../text/shell-word.ts';
import type { Api, PagedEndpoint, RowOf } from './api.ts';
import { rowsNamed } from './names.ts';

/** What a create makes, as far as a list shows it. */
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

export interface LookupOptions {
  readonly api: Api;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Is told that the lookup begins. */
  onNote(text: string): void;
}

interface Noun {
  readonly list: PagedEndpoint;
  /** The command that knows it. */
  readonly command: string;
}

const nouns: Readonly<Record<Sought['noun'], Noun>> = {
  team: { list: 'listTeams', command: 'teams' },
  bot: { list: 'listBots', command: 'bots' },
  document: { list: 'listDocuments', command: 'docs' },
};

/** Milliseconds that a lookup may take: whoever lost one answer may lose others. */
const longestLookup = 15_000;

/** Milliseconds that times of one service may be apart, which count seconds or come from several machines. */
const timeTolerance = 2000;

/** Milliseconds that this machine's clock may be wrong where the service doesn't tell the time. */
const clockTolerance = 5 * 60_000;

/**
 * Creates something. Where the answer is lost, looks for what the call may have made and says what it found:
 * as probably created, never as proof, since somebody else may have made it.
 * @throws Failure as `create`; `outcomeUnknown` carries the findings in its hint and as
 *   `details.probably_created`
 */
export async function createOrLookUp<T>(
  options: LookupOptions,
  sought: Sought,
  create: () => Promise<T>,
): Promise<T> {
  const began = options.clock.now();
  try {
    return await create();
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.kind !== 'outcomeUnknown') throw thrown;
    options.onNote(`The answer was lost; looking for the ${sought.noun}.`);
    throw await withFindings(thrown, options, sought, began);
  }
}

/** What a person needs of a row to recognise it. */
interface Finding {
  readonly id: string;
  readonly name: string;
  readonly created_at: string | null;
}

async function withFindings(
  lost: Failure,
  { api, signal }: LookupOptions,
  sought: Sought,
  began: number,
): Promise<Failure> {
  const found: Finding[] = [];
  const { list } = nouns[sought.noun];
  const patience = AbortSignal.timeout(longestLookup);
  try {
    const teamId = sought.noun === 'team' ? undefined : sought.teamId;
    const within = AbortSignal.any([signal, patience]);
    for await (const row of rowsNamed(api, list, sought.name, { teamId, signal: within })) {
      if (isLike(row, sought) && isSince(row, began, api.clockAhead())) found.push(finding(row));
    }
  } catch (thrown) {
    signal.throwIfAborted();
    const why = patience.aborted ? 'it took too long.' : thrown instanceof Error ? thrown.message : '';
    return failureWith(lost, `Looking for the ${sought.noun} failed: ${why} ${lost.hint ?? ''}`, undefined);
  }
  const doubt =
    api.clockAhead() === undefined && found.length > 0
      ? ' The service tells no time, so it may also be from the five minutes before.'
      : '';
  return failureWith(lost, `${sentences(sought, found)}${doubt}`, found);
}

function failureWith(lost: Failure, hint: string, found: readonly Finding[] | undefined): Failure {
  const service = lost.details ?? undefined;
  return new Failure('outcomeUnknown', lost.message, {
    hint: hint.trim(),
    code: lost.code,
    status: lost.status,
    details: {
      ...(found && { probably_created: found }),
      ...(service !== undefined && { service }),
    },
    cause: lost,
  });
}

function sentences({ noun, name }: Sought, found: readonly Finding[]): string {
  const { command } = nouns[noun];
  const [only, ...others] = found;
  const list = `botctl ${command} list --name ${shellWord(oneLine(name, 200))}`;
  if (!only)
    return `No such ${noun} has appeared yet, but it still may. Look again before you repeat: ${list}`;
  if (others.length > 0) {
    return `${found.length} such ${noun}s have appeared since, so it was probably created. Look before you repeat: ${list}`;
  }
  return `Such a ${noun} has appeared since, so it was probably created. Look before you repeat: botctl ${command} get ${only.id}`;
}

/** Whether a row says the same as the request did. A member that is missing says nothing against it. */
function isLike(row: RowOf<PagedEndpoint>, sought: Sought): boolean {
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
 * Whether a row was created after the call began.
 * @param began by this machine's clock
 * @param ahead what `Api.clockAhead` tells
 */
function isSince(row: RowOf<PagedEndpoint>, began: number, ahead: number | undefined): boolean {
  const created = typeof row.created_at === 'string' ? Date.parse(row.created_at) : Number.NaN;
  if (Number.isNaN(created)) return true;
  const earliest = ahead === undefined ? began - clockTolerance : began + ahead - timeTolerance;
  return created >= earliest;
}

function finding(row: RowOf<PagedEndpoint>): Finding {
  return {
    id: row.id,
    name: String(row.name ?? ''),
    created_at: typeof row.created_at === 'string' ? row.created_at : null,
  };
}
