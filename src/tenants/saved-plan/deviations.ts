import { isSameId } from '../../lib/ids.ts';
import { own } from '../../lib/json-object.ts';
import type { Address } from '../desired.ts';
import type { ObjectPlan } from '../kinds/kind.ts';
import { reasons } from '../reasons.ts';
import { isShort, valueText } from '../render/sections.ts';
import { isSameJson } from '../state-file.ts';
import type { KeptField, KeptObject, KeptOperation } from './planned-object.ts';

/** What is otherwise than it was when a plan was kept. */
export interface Deviation {
  readonly address: Address;
  /** The field of the object; undefined where it is about all of it, and nothing else is told then. */
  readonly field?: string | undefined;
  readonly says: string;
}

/** What there is to know of an object now. */
interface Now {
  readonly impossible: readonly string[];
  /** The fields that the files declare, whatever the service shows. */
  readonly wanted: readonly KeptField[];
  /** What is otherwise with fields of which a kept plan can't hold the value, in words by their names. */
  readonly changed: ReadonlyMap<string, string>;
}

type Told = Omit<Deviation, 'address'>;

/** Returns everything that is otherwise with an object than when it was planned. */
export function deviationsOf(then: KeptOperation, now: KeptObject, about: Now): readonly Deviation[] {
  return toldOf(then, now, about).map((told) => ({ address: then.address, ...told }));
}

function toldOf(then: KeptOperation, now: KeptObject, { impossible, wanted, changed }: Now): readonly Told[] {
  if (impossible.length > 0) return [{ says: `it can't be done any more. ${impossible.join(' ')}` }];
  if (then.id !== undefined && now.id !== undefined && !isSameId(then.id, now.id))
    return [{ field: 'id', says: `it was ${then.id}, and is ${now.id} now` }];
  const other = { says: `it was to be ${wordsOf(then)}, and would be ${wordsOf(now)} now` };
  if (isOther(then, now)) return [other];
  const told = [
    ...fieldsOf(then, now, wanted),
    ...(then.sha256 === now.sha256 ? [] : [{ field: 'file', says: 'it has other content now' }]),
    ...Object.entries(then.needs)
      .filter(([needed, id]) => !isSameId(id, own(now.needs, needed)))
      .map(([needed, id]) => ({
        field: 'needs',
        says: `${needed} was ${id}, and is ${own(now.needs, needed) ?? 'gone, or to be replaced,'} now`,
      })),
    ...[...changed].map(([field, says]) => ({ field, says })),
    ...risksOf(then, now),
    ...newlyRetired(then, now).map((id) => ({
      field: 'retires',
      says: `${id} would get another name, and was not to`,
    })),
  ];
  return told.length > 0 || then.action === now.action ? told : [other];
}

/** True if something else would be done about the whole object. */
function isOther({ action }: KeptOperation, now: KeptObject): boolean {
  if (action === now.action) return false;
  if (action === 'delete') return true;
  return now.action !== 'none' && now.action !== 'update';
}

function wordsOf({ action, reason }: KeptObject): string {
  return action === 'none' ? words.none : `${words[action]} (${own(reasons, reason) ?? reason})`;
}

const words: Readonly<Record<ObjectPlan['action'], string>> = {
  create: 'created',
  update: 'changed',
  adopt: 'adopted',
  delete: 'deleted',
  replace: 'replaced',
  none: 'left as it is',
};

function fieldsOf(then: KeptOperation, now: KeptObject, wanted: readonly KeptField[]): readonly Told[] {
  const [nowOf, wantedOf] = [byName(now.fields), byName(wanted)];
  const isNew = then.action === 'create';
  const planned = then.fields.flatMap(({ field, from, to }): readonly Told[] => {
    const is = nowOf.get(field);
    const declared = (is ?? wantedOf.get(field))?.to ?? null;
    // Where nothing is left to be changed the service shows what the files say; of documents it shows ids.
    const shown = is ? is.from : isNew || field === 'documents' ? from : declared;
    return [
      ...(isSameJson(declared, to)
        ? []
        : [{ field, says: `the files ${moved(['said', to], ['say', declared])}` }]),
      ...(isSameJson(shown, from)
        ? []
        : [{ field, says: `the service ${moved(['had', from], ['has', shown])}` }]),
    ];
  });
  const names = new Set(then.fields.map(({ field }) => field));
  const others = now.fields.filter(({ field }) => !names.has(field));
  return [
    ...planned,
    ...others.map(({ field, from, to }) => {
      // Ids and addresses of documents say little beside each other.
      const isTold = field !== 'documents' && areShort(from, to);
      const change = isTold ? `, from ${valueText(from)} to ${valueText(to)}` : '';
      return { field, says: `it was to stay as it is, and would be changed now${change}` };
    }),
  ];
}

function byName(fields: readonly KeptField[]): ReadonlyMap<string, KeptField> {
  return new Map(fields.map((field) => [field.field, field]));
}

/** Returns how a value was and is: `said 0.3, and say 0.4 now`. */
function moved([before, was]: readonly [string, unknown], [now, is]: readonly [string, unknown]): string {
  if (!areShort(was, is)) return `${now} something else now`;
  return `${before} ${valueText(was)}, and ${now} ${valueText(is)} now`;
}

function areShort(...values: readonly unknown[]): boolean {
  return values.every(isShort);
}

/** Returns the risks that nobody has agreed to. One that is none any more hinders nothing. */
function risksOf(then: KeptOperation, now: KeptObject): readonly Told[] {
  // Of a bot that is deleted the sentence says all that is known of it; of others it may count what goes on.
  const mark = ({ risk, says }: KeptObject['risks'][number]): string => (risk === 'delete-bot' ? says : risk);
  const planned = new Set(then.risks.map(mark));
  const added = now.risks.filter((risk) => !planned.has(mark(risk)));
  return added.map(({ risk, says }) => ({ field: 'risks', says: `${risk} was not among them. ${says}` }));
}

/** Returns the documents that would get another name, and were not to. */
export function newlyRetired({ retires: then = [] }: KeptOperation, now: KeptObject): readonly string[] {
  return (now.retires ?? []).filter((id) => !then.some((one) => isSameId(one, id)));
}
