import { groupedNumber } from '../../lib/text/numbers.ts';
import { isTexts } from '../../resources/bots/editable.ts';
import { type Difference, hasDrifted } from '../kinds/kind.ts';
import { type Action, unusualReason } from '../reasons.ts';
import type { PlanRow } from './rows.ts';

/** A title with lines, which are not yet sanitised. */
interface Section {
  readonly title: string;
  readonly lines: readonly { readonly address: string; readonly says: string }[];
}

/** Returns the sections besides the operations; those without lines are omitted. */
export function sectionsOf(rows: readonly PlanRow[]): readonly Section[] {
  const section = (title: string, of: (row: PlanRow) => readonly string[]): Section => ({
    title,
    lines: rows.flatMap((row) => of(row).map((says) => ({ address: row.address, says }))),
  });
  return [
    section('Risks', ({ risks }) => risks.map(({ risk, says }) => `${risk}: ${says}`)),
    section('Not possible', ({ impossible }) => impossible),
    section('Unknown', (row) => (row.unknown_since === null ? [] : [unknownText(row.unknown_since)])),
    section('Gone from the service', ({ reason, id, name }) =>
      reason === 'gone' || reason === 'deleted'
        ? [`${name ?? ''} no longer exists${id === null ? '' : `: ${id}`}`]
        : [],
    ),
    section('Changed in the service since the last apply', ({ fields }) =>
      fields.filter(hasDrifted).map(driftText),
    ),
    section('Not shown by the service, so not compared', (row) =>
      row.unverifiable.length === 0 ? [] : [row.unverifiable.join(', ')],
    ),
    section(
      'Unverified secrets: applied by an earlier version, so it is not known whether they have changed',
      ({ reason, unverified }) => {
        if (unverified.length === 0) return [];
        const recorded = 'recorded as current, not sent';
        return [`${unverified.join(', ')}: ${reason === 'assumed' ? recorded : 'not sent'}`];
      },
    ),
    section(
      `No longer in the files, and not changed${rows.some(isBotLeft) ? ' (--prune deletes bots)' : ''}`,
      (row) => (isUndeclared(row) ? [undeclaredText(row)] : []),
    ),
  ].filter(({ lines }) => lines.length > 0);
}

function isUndeclared({ action, reason }: PlanRow): boolean {
  return action === 'none' && reason === 'undeclared';
}

function isBotLeft(row: PlanRow): boolean {
  return isUndeclared(row) && row.kind === 'bot';
}

function undeclaredText(row: PlanRow): string {
  const what = `${row.kind} ${row.id ?? ''}`.trim();
  return isBotLeft(row)
    ? what
    : `${what}: the API can't delete it, but tenants forget removes it from the state file`;
}

function unknownText(since: string): string {
  return `Creating it was interrupted at ${since}, so it is not known whether it exists.`;
}

function driftText({ field, from, to, moved, applied }: Difference): string {
  if (!isShort(from) || !isShort(to)) return `${field}: see its changes`;
  const was = applied === undefined || isHash(applied) ? '' : `was ${valueText(applied)}, `;
  const also = moved === 'both' ? `, and the files now say ${valueText(to)}` : '';
  return `${field}: ${was}is ${valueText(from)}${also}`;
}

/** Returns whether a value is the hash that the state file has in place of a long value. */
function isHash(recorded: unknown): boolean {
  return typeof recorded === 'object' && recorded !== null && 'sha256' in recorded;
}

/** A longer text is shown as a diff, or by its length. */
const longestShown = 60;

/** Returns whether a value fits on one line. */
export function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= longestShown && !/[\r\n]/.test(value);
  return (
    typeof value !== 'object' || value === null || (isTexts(value) && value.join(', ').length <= longestShown)
  );
}

/** Returns a value in one line: a text without quotes if it can't be mistaken for another type. */
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
  replace: 'replace',
  delete: 'delete',
};

/** Returns the heading for an operation: `create bot Front desk: gone from the service`. */
export function operationText({ action, reason, kind, name }: PlanRow): string {
  const verb = kind === 'document' && action === 'create' ? 'upload' : verbs[action];
  const what = `${verb ?? ''} ${kind} ${name ?? ''}`.trim();
  const more = unusualReason(reason);
  return more === undefined ? what : `${what}: ${more}`;
}

/** Returns the fields to list below the heading of an object, which has the name of a new one. */
export function shownFields({ action, fields }: PlanRow): {
  readonly isNew: boolean;
  readonly fields: readonly Difference[];
} {
  const isNew = action === 'create';
  return { isNew, fields: isNew ? fields.filter(({ field }) => field !== 'name') : fields };
}

/** Returns the totals of a plan in one line: `2 to create, 1 to change, 1 risk`. */
export function totalsText(rows: readonly PlanRow[]): string {
  const deleted = rows.filter(({ reason }) => reason === 'deleted').length;
  const count = (action: Action): number => rows.filter((row) => row.action === action).length;
  const sum = (of: (row: PlanRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const risks = sum((row) => row.risks.length);
  const parts = [
    [count('create'), 'to create'],
    [count('update'), 'to change'],
    [count('replace'), 'to replace'],
    [count('adopt'), 'to adopt'],
    [count('delete') - deleted, 'to delete'],
    [deleted, 'already deleted'],
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
  return `Nothing to do: everything ${isAllShown ? '' : 'that the service shows '}matches the files`;
}
