import fc from 'fast-check';
import type { Noun } from '../../src/cli/options.ts';
import { isId } from '../../src/lib/ids.ts';
import type { Place } from './place.ts';
import { desk, idOf, type Service } from './service.ts';

/** The kinds of objects in the service. */
export type ServedNoun = Exclude<Noun, 'profile' | 'campaign'>;

/** An object that a word may refer to. */
export interface Twin {
  readonly name: string;
  /** The id by which a word refers to it. */
  readonly id: string;
  /** Its own id, and those of the objects it owns: an operation on one of them counts as one on it. */
  readonly ids: readonly string[];
}

/** The created objects. */
export interface Twins {
  readonly of: Readonly<Record<ServedNoun, readonly Twin[]>>;
  /** A bot of "Aurora Coffee" with all those documents. */
  readonly collector: string;
  /** The id of a device that is not one of them. */
  readonly device: string;
}

/** A valid id that no object has but that is used as a name. */
const freeId = '00000000-1111-4222-8333-444444444444';

/** Names that may be confused with one another, or with something that is not a name. */
const names: readonly string[] = [
  'Acme Norte',
  'ACME NORTE',
  'Acme Nórte'.normalize('NFC'),
  'Acme Nórte'.normalize('NFD'),
  'Ａｃｍｅ Norte',
  'Acme',
  'Acme Norte ',
  ' Acme Norte',
  'Acme\u00a0Norte',
  'Acme\u200bNorte',
  'Acme Norte\n',
  'Acme Norte\r',
  'Acme\nNorte',
  '!Acme',
  '"Acme Norte"',
  "'Acme Norte'",
  '$(Acme)`\\',
  'Acme%',
  // An existing file, but no other document has this name.
  '@prompt.txt',
  '-x',
  '-',
  '--',
  '--help',
  '--team=Acme',
  '..',
  '0',
  '__proto__',
  freeId,
  `${'Acme '.repeat(40)}Norte`,
];

/** Names that two objects have. */
const doubled: readonly string[] = ['Twin', 'twin'];

const collector = 'Collector';

/** Adds twins of every kind to the place of size `one`. */
export async function arrangeTwins(place: Place): Promise<Twins> {
  await place.enter('one');
  const twins: Record<ServedNoun, Twin[]> = { team: [], bot: [], document: [], device: [], key: [] };
  let device = '';
  await place.arrange(async (service) => {
    const rows = { teams: await rowsOf(service, 'teams'), bots: await rowsOf(service, 'bots') };
    const documents = await rowsOf(service, 'documents');
    const [team_id = ''] = rows.teams;
    const [bot_id = ''] = rows.bots;
    // No typed word refers to it, so no command may touch it.
    twins.team.push({ name: 'Aurora Coffee', id: team_id, ids: [team_id, ...rows.bots, ...documents] });
    await service('PATCH', `/teams/${team_id}`, { quotas: { bots: 1000, documents: 1000 } });
    const make = async (path: string, body: object): Promise<string> =>
      idOf(await service('POST', path, body));
    for (const name of [...names, ...doubled, ...doubled]) {
      const alone = (id: string): Twin => ({ name, id, ids: [id] });
      twins.team.push(await makeTeam(service, name));
      const bot = { team_id, name, document_ids: documents, ...desk };
      twins.bot.push(alone(await make('/bots', bot)));
      twins.document.push(alone(await makeDocument(service, team_id, name)));
      twins.device.push(alone(await make('/devices', { team_id, bot_id, name })));
      twins.key.push(alone(String((await service('POST', '/api-keys', { name })).key_id)));
    }
    await nameByIds(service, twins);
    const document_ids = twins.document.map(({ id }) => id);
    await make('/bots', { team_id, name: collector, document_ids });
    device = await make('/devices', { team_id, bot_id, name: 'Lobby' });
    return twins.device;
  });
  return { of: twins, collector, device };
}

/** Names one object of each kind with the id of another. */
async function nameByIds(service: Service, twins: Record<ServedNoun, Twin[]>): Promise<void> {
  const kinds = [
    ['team', 'teams'],
    ['bot', 'bots'],
    ['document', 'documents'],
  ] as const;
  for (const [noun, path] of kinds) {
    const [one, other] = twins[noun].slice(1);
    if (!one || !other) throw new Error('there are too few');
    await service('PATCH', `/${path}/${other.id}`, { name: one.id });
    twins[noun].splice(2, 1, { ...other, name: one.id });
  }
}

/** Counts the accounts, because an email address can have only one. */
let accounts = 0;

/** Creates a team with the objects of the examples, which differ from those of other teams only in their team. */
async function makeTeam(service: Service, name: string): Promise<Twin> {
  accounts += 1;
  const user = { name: 'Ana', email: `ana${accounts}@twins.example`, phone: '+5511999990000' };
  const { team } = await service('POST', '/teams', { user, team: { name, plan_name: 'starter' } });
  const team_id = idOf(team);
  const document_ids = [
    await makeDocument(service, team_id, 'menu.txt'),
    await makeDocument(service, team_id, 'drinks.txt'),
  ];
  const ids = [team_id, ...document_ids];
  for (const bot of ['Front desk', 'Night desk'])
    ids.push(idOf(await service('POST', '/bots', { team_id, name: bot, document_ids, ...desk })));
  return { name, id: team_id, ids };
}

async function makeDocument(service: Service, teamId: string, name: string): Promise<string> {
  const form = new FormData();
  form.set('team_id', teamId);
  form.set('chars', '5');
  // Not every name can be a file name in an upload; a document can be renamed to any name afterwards.
  const travels = /^[\w. ]+\.txt$/.test(name);
  form.set('file', new Blob(['soup\n']), travels ? name : 'a.txt');
  const id = idOf(await service('POST', '/documents', form));
  if (!travels) await service('PATCH', `/documents/${id}`, { name });
  return id;
}

async function rowsOf(service: Service, path: 'teams' | 'bots' | 'documents'): Promise<readonly string[]> {
  const answer = await service('GET', `/${path}?page=1&limit=100`);
  const rows: unknown = Array.isArray(answer) ? answer : answer.bots;
  return Array.isArray(rows) ? rows.map(idOf) : [];
}

/**
 * Returns the objects that a word refers to: those with this id, or else those with exactly this name by code points.
 */
export function meantBy(word: string, twins: readonly Twin[]): readonly Twin[] {
  const byId = twins.filter(({ id }) => id === word || (isId(word) && id === word.toLowerCase()));
  if (byId.length > 0 || isId(word)) return byId;
  return twins.filter(({ name }) => name === word);
}

/** Generates words that may be typed for one of them: its name, its id, and text similar to its name. */
export function wordsLike(twins: readonly Twin[]): fc.Arbitrary<string> {
  const blank = fc.constantFrom(' ', '\t', '\n', '\r\n', '\u00a0', '\ufeff');
  const changed = fc.constantFrom(
    (name: string) => name.toUpperCase(),
    (name: string) => name.toLowerCase(),
    (name: string) => name.normalize('NFC'),
    (name: string) => name.normalize('NFD'),
    (name: string) => name.normalize('NFKC'),
    (name: string) => name.trim(),
    (name: string) => name.slice(0, -1),
    (name: string) => name.slice(1),
    (name: string) => name.replaceAll(/\s+/g, ' '),
    (name: string) => `${name}*`,
    (name: string) => JSON.stringify(name),
  );
  const name = fc.constantFrom(...twins).map((twin) => twin.name);
  return fc.oneof(
    { weight: 3, arbitrary: name },
    { weight: 1, arbitrary: fc.constantFrom(...twins).map(({ id }) => id) },
    { weight: 3, arbitrary: fc.tuple(name, changed).map(([one, change]) => change(one)) },
    { weight: 1, arbitrary: fc.tuple(blank, name).map(([some, one]) => some + one) },
    { weight: 1, arbitrary: fc.tuple(name, blank).map(([one, some]) => one + some) },
  );
}
