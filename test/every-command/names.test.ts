import { Option as CommanderOption } from 'commander';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Argument, Option } from '../../src/cli/options.ts';
import { isId } from '../../src/lib/ids.ts';
import { inSentence } from '../../src/lib/text/sentence.ts';
import { givenSeed } from '../support/properties.ts';
import { expectClean, expectFailure, scripted } from './checks.ts';
import { type Walked, walkedCommands } from './lines.ts';
import { type PlacedRun, usePlace } from './place.ts';
import { arrangeTwins, meantBy, type ServedNoun, type Twin, type Twins, wordsLike } from './twins.ts';

const place = usePlace();

/** The names of the objects in the place (see `place.ts`), in the device book and the service. */
const names: Readonly<Record<ServedNoun, string>> = {
  team: 'Aurora Coffee',
  bot: 'Night desk',
  document: 'menu.txt',
  device: 'Reception',
  key: 'ci',
};

/** An argument or option of a command that takes a team, bot, document, device or key, by its declaration. */
interface NamePlace {
  /** `bots delete --team` */
  readonly label: string;
  readonly walked: Walked;
  readonly noun: ServedNoun;
  /** `--team`, `<bot>` */
  readonly at: string;
}

/** Teams of devices in the device book, which has none here: tested in `test/resources/devices/booked-team.test.ts`. */
const ofDeviceBook: ReadonlySet<string> = new Set(['device watch --team', 'device history --team']);

function namePlacesOf(walked: Walked): readonly NamePlace[] {
  const { command, path } = walked;
  const declared = [...Object.entries(command.arguments), ...Object.entries(command.options)];
  return declared.flatMap(([member, one]) => {
    const { noun } = one;
    if (noun === undefined || noun === 'profile' || noun === 'campaign') return [];
    const at = isOption(one) ? (new CommanderOption(one.flags).long ?? one.flags) : `<${member}>`;
    const label = `${path} ${at}`;
    return ofDeviceBook.has(label) ? [] : [{ label, walked, noun, at }];
  });
}

/** An argument or option whose value is half of a name. */
interface HalfLine extends NamePlace {
  readonly name: string;
  readonly typed: string;
  words(): readonly string[];
}

function halfIn(place: NamePlace): HalfLine {
  const name = names[place.noun];
  const typed = name.slice(0, Math.ceil(name.length / 2));
  return { ...place, name, typed, words: () => lineWith(place.walked, place.at, typed) };
}

function isOption(one: Argument<unknown> | Option<unknown>): one is Option<unknown> {
  return 'flags' in one;
}

/** Returns the walk's command with this word as the value of an argument or option. */
function lineWith(walked: Walked, label: string, word: string): readonly string[] {
  // This option allows only ids.
  const words = walked.words(place).filter((one) => one !== '--offline');
  const given = walked.values(place).find((value) => value.label === label);
  if (given) return words.map((one, index) => (index === given.at ? word : one));
  return [...words, ...(label.startsWith('-') ? [label] : []), word];
}

const commands = await walkedCommands();
const namePlaces = commands.flatMap(namePlacesOf);
const halves = namePlaces.filter(({ walked }) => walked.command.needs !== 'nothing').map(halfIn);

describe('a part of a name', () => {
  it('is tried in every command that accepts one', () => {
    const tried = new Set(halves.map(({ walked }) => walked.path));
    for (const path of ['send', 'device disconnect', 'device forget', 'device repair', 'device connect'])
      expect(tried).toContain(path);
    for (const path of ['docs rename', 'bots edit', 'bots delete', 'keys delete', 'teams get', 'keys get'])
      expect(tried).toContain(path);
    expect(halves.length).toBeGreaterThan(40);
  });

  it.each(halves)(
    'in place of $label exits with code 5, suggests the name and changes nothing',
    async (half) => {
      await place.enter('one');
      // A command that opens an editor needs a terminal; the result goes to a pipe.
      const needsPerson = half.walked.path === 'bots edit';
      const { changes } = place.front;
      place.front.refuse(undefined);
      const words = [...half.words(), ...scripted.more];
      const ran = await place.run(words, needsPerson ? { terminal: true, piped: true } : {});
      if (!needsPerson) expectClean(ran, scripted);
      if (needsPerson) expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
      else expectFailure(ran, 5, scripted);
      expect(ran.stderr).toContain(half.typed);
      expect(ran.stderr).toContain(half.name);
      expect(ran.stderr).toContain('Did you mean');
      expect(place.front.seen.filter((call) => !call.startsWith('GET '))).toEqual([]);
      expect(place.front.changes).toBe(changes);
    },
  );
});

/** How a word is passed: as a separate word, after `--`, as in `--team=word`, or as a line of stdin. */
type Way = 'alone' | 'behind' | 'joined' | 'piped';

/** Returns the ways in which a word can be passed: one that begins with `-` only after `--`, for example. */
function waysOf({ walked: { command }, at }: NamePlace, word: string): readonly Way[] {
  if (!at.startsWith('<')) return word.startsWith('-') ? ['joined'] : ['alone', 'joined'];
  const [argument] = Object.values(command.arguments);
  // A byte order mark at the start of stdin does not belong to the first line, and elsewhere it is refused.
  const isLine = !/[\n\ufeff]/.test(word) && word.trim() !== '';
  const isAlone = !word.startsWith('-');
  // A watch takes several devices, but also "-" for stdin.
  if (argument?.each || command.name === 'watch')
    return [...(isAlone ? (['alone'] as const) : []), ...(isLine ? (['piped'] as const) : [])];
  return isAlone ? ['alone', 'behind'] : ['behind'];
}

let arranged: Promise<Twins> | undefined;
const twins = () => (arranged ??= arrangeTwins(place));

describe('a name among similar names', () => {
  it.each(namePlaces)('in place of $label matches only exactly', async (one) => {
    const { of, collector, device } = await twins();
    const isAmong = one.label === 'bots documents remove <document>';
    const given = {
      ...(isAmong && { bot: collector }),
      ...(one.walked.path === 'device add' && { device }),
    };
    await fc.assert(
      fc.asyncProperty(wordsLike(of[one.noun]), async (word) => {
        for (const way of waysOf(one, word)) await expectMeant(one, word, way, of[one.noun], given);
      }),
      // A few words for each; other runs generate others.
      { numRuns: 3, ...(givenSeed !== undefined && { seed: givenSeed + namePlaces.indexOf(one) }) },
    );
  });
});

describe('a name among similar names, elsewhere', () => {
  const numRuns = 20;

  it('matches only exactly in a bot file', async () => {
    const { of } = await twins();
    const create = ['bots', 'create', '--file', '-', '-o', 'json'];
    const members = [
      ['team', (word: string) => ({ team_id: word, name: 'New' })],
      ['document', (word: string) => ({ team_id: 'Aurora Coffee', name: 'New', document_ids: [word] })],
    ] as const;
    for (const [noun, file] of members)
      await fc.assert(
        fc.asyncProperty(wordsLike(of[noun]), (word) =>
          expectAbout(create, { stdin: JSON.stringify(file(word)) }, word, of[noun]),
        ),
        { numRuns },
      );
  });

  it('is compared exactly by --where', async () => {
    const { of } = await twins();
    await fc.assert(
      fc.asyncProperty(wordsLike(of.team), async (word) => {
        // A value with a byte order mark is refused: it is invisible, and never goes into a request.
        fc.pre(word !== '' && word !== 'null' && !word.includes('\ufeff'));
        place.front.refuse(undefined);
        const ran = await place.run([
          'teams',
          'list',
          '--where',
          `name=${word}`,
          '-o',
          'json',
          '--fields',
          'id',
        ]);
        expect(ran.exitCode, ran.stderr).toBe(0);
        const rows: unknown = JSON.parse(ran.stdout);
        const named = of.team.filter(({ name }) => name === word).map(({ id }) => ({ id }));
        expect(rows, JSON.stringify(word)).toHaveLength(named.length);
        expect(rows, JSON.stringify(word)).toEqual(expect.arrayContaining(named));
      }),
      { numRuns },
    );
  });

  it('confirms only the object with exactly that name', async () => {
    const { of } = await twins();
    const one = of.bot.find(({ name }) => name === 'Acme Norte');
    const line = ['bots', 'delete', 'Acme Norte', '--team', 'Aurora Coffee', '-o', 'json', '--confirm'];
    for (const { name } of of.bot.filter((other) => other !== one)) {
      place.front.refuse({ calls: 'writes', status: 403, code: 'FORBIDDEN' });
      const ran = await place.run([...line, name]);
      expect(ran, JSON.stringify(name)).toMatchObject({ exitCode: 2, stdout: '' });
      expect(place.front.seen.filter((call) => !call.startsWith('GET '))).toEqual([]);
    }
    expect((await place.run([...line, 'Acme Norte'])).exitCode).toBe(6);
  });
});

/** Words that replace those of the example. */
interface Given {
  readonly bot?: string;
  readonly device?: string;
}

/** Runs a command with this word while the service refuses changes, and checks which object it was about. */
async function expectMeant(
  one: NamePlace,
  word: string,
  way: Way,
  all: readonly Twin[],
  given: Given,
): Promise<void> {
  const options = {
    ...(one.walked.path === 'bots edit' && { terminal: true, piped: true }),
    ...(way === 'piped' && { stdin: `${word}\n` }),
  };
  // Blanks after an id are ignored on stdin, because lines of other systems end with CR.
  const meant = way === 'piped' && isId(word.trimEnd()) ? word.trimEnd() : word;
  await expectAbout(wordsAmong(one, word, way, given), options, meant, all, given.bot !== undefined);
}

/** Runs a command that contains this word, and checks which object it was about. */
async function expectAbout(
  words: readonly string[],
  options: PlacedRun,
  word: string,
  all: readonly Twin[],
  isLeftOut = false,
): Promise<void> {
  place.front.refuse({ calls: 'writes', status: 403, code: 'FORBIDDEN' });
  const ran = await place.run(words, options);
  const told = `${JSON.stringify(words)} ${JSON.stringify(word)}\n${ran.stderr}`;
  const meant = meantBy(word, all);
  // Messages repeat a name that was not found as typed, and it may be an id with text around it.
  const isAroundId = all.some(({ ids }) => ids.some((id) => word.includes(id) && word !== id));
  const typed = isAroundId ? [word, inSentence(word)].map((text) => JSON.stringify(text).slice(1, -1)) : [];
  // The matching object's name may be the id of another, and its file has that name.
  const unsaid = [...typed, ...meant.flatMap(({ name }) => [JSON.stringify(name), `/${name}.yaml`])];
  const stdout = unsaid.reduce((text, some) => text.replaceAll(some, ''), ran.stdout);
  const touched = all.filter(({ ids }) => isTouched(ids, stdout, isLeftOut));
  if (meant.length === 1) {
    // A device that cannot send yet is still found.
    const isUnnumbered = words[0] === 'campaigns' && ran.stderr.includes('has no number yet');
    // A campaign sends only through its own devices.
    const isOthers = words[1] === 'test' && ran.stderr.includes('Campaign spring has no device');
    // A watched device may not be ready before the timeout.
    const isEarly = words[1] === 'watch' && ran.exitCode === 9;
    expect(isUnnumbered || isEarly ? [9] : isOthers ? [2] : [0, 6, 11], told).toContain(ran.exitCode);
    // If a device has no phone, the refusal names the device.
    const isUnpaired = words[1] === 'phone' && ran.stderr.includes('is not paired');
    const hasSentNothing = words[1] === 'messages' && ran.stdout === '[]\n';
    expect(
      touched.map(({ name }) => name),
      told,
    ).toEqual(isUnpaired || isOthers || hasSentNothing ? [] : meant.map(({ name }) => name));
    if (isUnpaired)
      expect(ran.stderr, told).toContain(`"message":${JSON.stringify(meant[0]?.name).slice(0, -1)} is not`);
    return;
  }
  expect(touched, told).toEqual([]);
  // The service, not botctl, refuses an unknown id.
  if (isId(word)) return;
  expect(
    place.front.seen.filter((call) => !call.startsWith('GET ')),
    told,
  ).toEqual([]);
  expect([2, 5], told).toContain(ran.exitCode);
}

/**
 * Returns whether a command touched one of the ids: it printed or sent it. If it sends all but one, returns whether it
 * is the omitted one.
 */
function isTouched(ids: readonly string[], stdout: string, isLeftOut: boolean): boolean {
  const isRead = (call: string): boolean => call.startsWith('GET ');
  const { sent } = place.front;
  const writes = sent.filter((call) => !isRead(call)).join('\n');
  if (isLeftOut) return writes !== '' && !ids.some((id) => writes.includes(id));
  const asked = sent.filter(isRead).flatMap(idsAsked);
  return ids.some((id) => stdout.includes(id) || writes.includes(id) || asked.includes(id));
}

/** Returns the ids that a read asks for; a lookup by name has none. */
function idsAsked(call: string): readonly string[] {
  const { pathname, searchParams } = new URL(call.split(' ')[1] ?? '', place.front.url);
  const team = searchParams.get('team_id');
  return [...pathname.split('/').map(decodeURIComponent), ...(team === null ? [] : [team])];
}

/** Returns the command with the word in one place. */
function wordsAmong(
  { walked, at }: NamePlace,
  word: string,
  way: Way,
  { bot, device }: Given,
): readonly string[] {
  const { path, command } = walked;
  const typed = walked.words(place).filter((some) => some !== '--offline');
  const values = walked.values(place);
  const before = values.find(({ label }) => label === at);
  const positions = new Set(values.filter(({ label }) => label.startsWith('<')).map((value) => value.at));
  const nouns = path.split(' ').length;
  const put = way === 'piped' ? '-' : word;
  // The value of an option may also be written without the option's name.
  if (before && !at.startsWith('<') && typed[before.at - 1] !== at) {
    const given = typed.map((some, index) => (index === before.at ? word : some)).slice(nouns);
    const isOption = (some: string): boolean => some !== word && some.startsWith('-');
    const end = way === 'joined' ? ['--'] : [];
    const words = given.filter((some) => !isOption(some));
    return [...typed.slice(0, nouns), '-o', 'json', ...given.filter(isOption), ...end, ...words];
  }
  const positional: string[] = [];
  const others: string[] = [];
  for (const [index, some] of typed.entries()) {
    if (index < nouns) continue;
    const confirms = typed[index - 1] === '--confirm' && some === before?.value;
    // Blanks after an id are ignored on stdin.
    if (confirms)
      others[others.length - 1] =
        `--confirm=${way === 'piped' && isId(word.trimEnd()) ? word.trimEnd() : word}`;
    else if (positions.has(index)) positional.push(index === before?.at ? put : some);
    else if (some !== at && index !== before?.at) others.push(some);
  }
  if (way === 'joined') others.push(`${at}=${put}`);
  else if (!at.startsWith('<')) others.push(at, put);
  else if (!before) positional.push(put);
  if (bot !== undefined || device !== undefined) positional[0] = bot ?? device ?? '';
  // Every team has objects with the names of the examples, but the device book has none.
  const takesTeam = 'team' in command.options && !ofDeviceBook.has(`${path} --team`);
  if (at !== '--team' && takesTeam && !others.includes('--team')) others.push('--team', 'Aurora Coffee');
  // `doctor` uses a device only for the report.
  if (path === 'doctor') others.push('--bundle', 'report.json');
  const behind = way === 'behind' ? ['--'] : [];
  return [...typed.slice(0, nouns), '-o', 'json', ...others, ...behind, ...positional];
}
