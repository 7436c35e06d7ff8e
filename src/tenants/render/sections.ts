import { own } from '../../lib/json-object.ts';
import { groupedNumber } from '../../lib/text/numbers.ts';
import type { Difference } from '../kinds/kind.ts';
import { hasDrifted } from '../plan.ts';
import type { PlanRow } from './rows.ts';

/** What a plan is told in, whatever it is told on: lines that are not yet safe to print. */
export interface Section {
  readonly title: string;
  readonly lines: readonly SectionLine[];
}

interface SectionLine {
  readonly address: string;
  readonly says: string;
}

/** Returns the sections beside the operations; those without lines are left out. */
export function sectionsOf(rows: readonly PlanRow[]): readonly Section[] {
  const section = (title: string, of: (row: PlanRow) => readonly string[]): Section => ({
    title,
    lines: rows.flatMap((row) => of(row).map((says) => ({ address: row.address, says }))),
  });
  return [
    section('Risks', ({ risks }) => risks.map(({ risk, says }) => `${risk}: ${says}`)),
    section("What can't be done", ({ impossible }) => impossible),
    section('Unknown', (row) => (row.unknown_since === null ? [] : [unknownText(row.unknown_since)])),
    section('Gone from the service', ({ action, id, name }) =>
      action === 'recreate' || action === 'forget'
        ? [`${name ?? ''} is not there any more${id === null ? '' : `: ${id}`}`]
        : [],
    ),
    section('Changed in the service since the last apply', ({ fields }) =>
      fields.filter(hasDrifted).map(driftText),
    ),
    section('Not shown by the service, so that nobody can say whether it is as it was applied', (row) =>
      row.unverifiable.length === 0 ? [] : [row.unverifiable.join(', ')],
    ),
    section(
      'Unverified secrets: an earlier version applied them, so it is not known whether they have changed since',
      ({ action, unverified }) => {
        if (unverified.length === 0) return [];
        const recorded = 'taken for those in use, without sending them';
        return [`${unverified.join(', ')}: ${action === 'note' ? recorded : 'not sent'}`];
      },
    ),
    section(
      `No longer in the files; left as it is${rows.some(isBotLeft) ? ', bots too without --prune' : ''}`,
      (row) => (row.action === 'undeclared' ? [undeclaredText(row)] : []),
    ),
  ].filter(({ lines }) => lines.length > 0);
}

function isBotLeft({ action, kind }: PlanRow): boolean {
  return action === 'undeclared' && kind === 'bot';
}

function undeclaredText(row: PlanRow): string {
  const what = `${row.kind} ${row.id ?? ''}`.trim();
  return isBotLeft(row) ? what : `${what}: the API can't delete it; it can be forgotten here`;
}

function unknownText(since: string): string {
  return `Its create was cut off at ${since}, and nobody can say whether there is one.`;
}

function driftText({ field, from, to, moved, applied }: Difference): string {
  if (!isShort(from) || !isShort(to)) return `${field}: see what changes of it`;
  const was = applied === undefined || isHash(applied) ? '' : `was ${valueText(applied)}, `;
  const also = moved === 'both' ? `, and the files now say ${valueText(to)}` : '';
  return `${field}: ${was}is ${valueText(from)}${also}`;
}

/** True of what the lock keeps in the place of a long value. */
function isHash(kept: unknown): boolean {
  return typeof kept === 'object' && kept !== null && 'sha256' in kept;
}

/** A longer text is told as a diff, or by its length. */
const longestShown = 60;

/** True if a value is told in one line. */
export function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= longestShown && !/[\r\n]/.test(value);
  return (
    typeof value !== 'object' || value === null || (isTexts(value) && value.join(', ').length <= longestShown)
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** Returns a value in one line: a text as it is where it can't be taken for something else. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return groupedNumber(value);
  if (isTexts(value) && isShort(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (Array.isArray(value)) return groupedNumber(value.length);
  if (typeof value !== 'string') return JSON.stringify(value);
  if (!isShort(value)) return `${groupedNumber(value.length)} characters`;
  return /^[^\s",]+(?: [^\s",]+)*$/.test(value) ? value : JSON.stringify(value);
}

const verbs: Readonly<Partial<Record<PlanRow['action'], string>>> = {
  create: 'create',
  update: 'change',
  adopt: 'adopt',
  recreate: 'create again',
  replace: 'replace',
  rename: 'rename',
  retire: 'rename',
  note: 'note',
  delete: 'delete',
  forget: 'forget',
};

/** What a verb alone doesn't say. */
const explained: Readonly<Record<string, string>> = {
  replace: 'a new document takes its place',
  note: 'nothing is sent',
  retire: 'another one took its place',
};

/** Returns what is done to an object, as a heading: `create bot Front desk`. */
export function operationText({ action, kind, name }: PlanRow): string {
  const verb = kind === 'document' && action === 'create' ? 'upload' : verbs[action];
  const what = `${verb ?? ''} ${kind} ${name ?? ''}`.trim();
  const more = own(explained, action);
  return more === undefined ? what : `${what}: ${more}`;
}

/** Returns the fields that are told below the heading of an object, which has the name of a new one. */
export function toldFields({ action, fields }: PlanRow): {
  readonly isNew: boolean;
  readonly fields: readonly Difference[];
} {
  const isNew = action === 'create' || action === 'recreate';
  return { isNew, fields: isNew ? fields.filter(({ field }) => field !== 'name') : fields };
}

/** Returns the numbers of a plan in one line: `2 to create, 1 to change, 1 risk`. */
export function totalsText(rows: readonly PlanRow[]): string {
  const count = (action: PlanRow['action']): number => rows.filter((row) => row.action === action).length;
  const sum = (of: (row: PlanRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const risks = sum((row) => row.risks.length);
  const parts = [
    [count('create'), 'to create'],
    [count('update'), 'to change'],
    [count('adopt'), 'to adopt'],
    [count('recreate'), 'to create again'],
    [count('replace'), 'to replace'],
    [count('rename') + count('retire'), 'to rename'],
    [count('note'), 'to note'],
    [count('delete'), 'to delete'],
    [count('forget'), 'to forget'],
    [sum(({ fields }) => fields.filter(hasDrifted).length), 'changed in the service'],
    [risks, risks === 1 ? 'risk' : 'risks'],
    [sum(({ impossible }) => impossible.length), 'not possible'],
    [sum((row) => (row.unknown_since === null ? 0 : 1)), 'unknown'],
    [sum(({ unverified }) => unverified.length), 'unverified'],
  ] as const;
  const told = parts
    .filter(([number]) => number > 0)
    .map(([number, words]) => `${groupedNumber(number)} ${words}`);
  if (told.length > 0) return told.join(', ');
  const isAllShown = rows.every((row) => row.unverifiable.length === 0);
  return `Nothing to do: everything ${isAllShown ? '' : 'that the service shows '}is as the files say`;
}
