import { count } from '../../client/listing.ts';
import { isObject, type JsonObject, own } from '../../lib/json-object.ts';
import { type Choice, known, shownName, unknown } from '../choice.ts';
import { type ListName, listNames, lists, pageSizeName } from '../lists.ts';
import type { HeardList, Reading } from '../reading.ts';

/** Where the numbers of pages stand. */
export const pagingMembers: Choice = {
  name: 'place of the page members',
  specification: 'teams, documents: meta beside data; bots: pagination in data',
  section: 'pages',
  async learn(service) {
    const places: [noun: string, place: string][] = [];
    const open: string[] = [];
    for (const name of listNames) {
      const heard = await service.list(name);
      if (heard.outcome !== 'answered') continue;
      const place = await placeOf(service, name, heard);
      if (place === undefined) open.push(lists[name]);
      else places.push([lists[name], place]);
    }
    if (places.length === 0)
      return open.length === 0
        ? unknown('No list could be read.', 'A list that this key may read.')
        : unknown(
            `Lists of ${open.join(', ')} have numbers beside their rows, and nothing shows that they are of pages.`,
            'Two rows, and the name of the page size.',
          );
    const words = [...places, ...open.map((noun) => [noun, 'not known'])].map((one) => one.join(': '));
    return known(words.join('; '), Object.fromEntries(places), 'Each list was read once without a query.');
  },
};

/** Members of an answer that may hold the numbers of pages, and where they stand. */
interface Group {
  readonly place: string;
  readonly members: JsonObject;
  /** Those of the members that count something. */
  readonly numbers: readonly string[];
  /** Those of the numbers that are of pages by their names. */
  readonly ofPages: readonly string[];
  /** True if they stand in an object that is called as one of pages. */
  readonly isForPages: boolean;
}

/** Returns where the numbers of pages stand, or undefined if numbers stand there, and nobody knows of what. */
async function placeOf(service: Reading, name: ListName, heard: HeardList): Promise<string | undefined> {
  const groups = groupsIn(heard);
  const rank = ({ ofPages, isForPages }: Group): number => ofPages.length + (isForPages ? 1 : 0);
  const [most] = [...groups].sort((a, b) => rank(b) - rank(a));
  if (most && most.ofPages.length >= (most.isForPages ? 1 : 2)) return most.place;
  if (groups.length === 0) return 'nowhere';
  // Whatever it is called: what is 1 on a page of one row, and something else on others, is the size of the page.
  const size = service.found(pageSizeName);
  if (typeof size !== 'string' || heard.rows.length < 2) return undefined;
  const short = groupsIn(await service.list(name, { [size]: 1 }));
  return groups.find(({ place, members, numbers }) => {
    const same = short.find((one) => one.place === place)?.members ?? {};
    return numbers.some((one) => count(own(same, one)) === 1 && count(own(members, one)) !== 1);
  })?.place;
}

/** Returns the members of an answer that hold numbers: those in an object of their own first. */
function groupsIn({ body, data, rows }: HeardList): readonly Group[] {
  const groupOf = (members: JsonObject, where: string, name?: string): Group => {
    const numbers = numbersIn(members);
    const ofPages = numbers.filter((one) => isOfPages(one, own(members, one), rows.length));
    const named = ofPages.length > 0 ? ofPages : numbers;
    const names = name === undefined ? named : [name];
    const place = `${names.map(shownName).join(', ')} ${where}`;
    return {
      place,
      members,
      numbers,
      ofPages,
      isForPages: /^(meta|pag(e|es|er|ing|ination|e_?info))$/i.test(name ?? ''),
    };
  };
  const groupsOf = (members: JsonObject, where: string): readonly Group[] => [
    ...Object.entries(members).flatMap(([name, value]) =>
      isObject(value) ? [groupOf(value, where, name)] : [],
    ),
    groupOf(members, where),
  ];
  const beside = isObject(body) && data !== body ? { ...body, data: undefined } : {};
  const groups = [...groupsOf(isObject(data) ? data : {}, 'in data'), ...groupsOf(beside, 'beside data')];
  return groups.filter(({ numbers }) => numbers.length > 0);
}

/** The members that hold a number that counts, also as text. */
function numbersIn(members: JsonObject): readonly string[] {
  return Object.keys(members).filter((name) => count(own(members, name)) !== undefined);
}

const ofPage = /^(current)?page(number|no|index)?$/;
const ofSize = /^(limit|per_?page|pagesize|pagelimit|itemsperpage)$/;
const ofTotal = /^total(count|items|rows|records|results|elements|hits)?$/;
const ofPages = /^(totalpages|pagecount|pages|lastpage)$/;

/** True for a number of pages by its name, if it can be one of this page. */
function isOfPages(name: string, value: unknown, rows: number): boolean {
  const number = count(value);
  const plain = name.replace(/[_-]/g, '').toLowerCase();
  if (number === undefined) return false;
  if (ofPage.test(plain)) return number <= 1;
  if (ofSize.test(plain) || ofTotal.test(plain)) return number >= rows;
  return ofPages.test(plain) && number >= Math.min(rows, 1);
}
