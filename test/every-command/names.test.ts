import { Option as CommanderOption } from 'commander';
import { describe, expect, it } from 'vitest';
import type { Argument, Noun, Option } from '../../src/cli/options.ts';
import { expectClean, expectFailure, situations } from './checks.ts';
import { type Walked, walkedCommands } from './lines.ts';
import { usePlace } from './place.ts';

const place = usePlace();

/** What the place has of each kind (see `place.ts`), as the device book and the service name it. */
const names: Readonly<Record<Exclude<Noun, 'profile'>, string>> = {
  team: 'Aurora Coffee',
  bot: 'Night desk',
  document: 'menu.txt',
  device: 'Reception',
  key: 'ci',
};

/** A line with half of a name in one place. */
interface HalfLine {
  /** The command and the place: `bots delete --team`. */
  readonly label: string;
  readonly walked: Walked;
  readonly name: string;
  /** The half. */
  readonly typed: string;
  words(): readonly string[];
}

/** Each place of a command where a team, bot, document, device or key goes, by its declaration. */
function halvesOf(walked: Walked): readonly HalfLine[] {
  const { command, path } = walked;
  const declared = [...Object.entries(command.arguments), ...Object.entries(command.options)];
  return declared.flatMap(([member, one]) => {
    const { noun } = one;
    if (noun === undefined || noun === 'profile') return [];
    const name = names[noun];
    const typed = name.slice(0, Math.ceil(name.length / 2));
    const label = isOption(one) ? (new CommanderOption(one.flags).long ?? one.flags) : `<${member}>`;
    return [{ label: `${path} ${label}`, walked, name, typed, words: () => lineWith(walked, label, typed) }];
  });
}

function isOption(one: Argument<unknown> | Option<unknown>): one is Option<unknown> {
  return 'flags' in one;
}

/** The line that the walk runs, with a word in one place: that of its value, or behind the rest. */
function lineWith(walked: Walked, label: string, word: string): readonly string[] {
  // With it, only ids are taken.
  const words = walked.words(place).filter((one) => one !== '--offline');
  const given = walked.values(place).find((value) => value.label === label);
  if (given) return words.map((one, index) => (index === given.at ? word : one));
  return [...words, ...(label.startsWith('-') ? [label] : []), word];
}

const commands = await walkedCommands();
const halves = commands.filter(({ command }) => command.needs === 'session').flatMap(halvesOf);
const writing = halves.filter(({ walked }) => walked.command.effect !== 'reads');
const reading = halves.filter(({ walked }) => walked.command.effect === 'reads');

describe('half of a name', () => {
  it('is tried in every command that takes one', () => {
    const tried = new Set(halves.map(({ walked }) => walked.path));
    for (const path of ['send', 'device disconnect', 'device forget', 'device repair', 'device connect'])
      expect(tried).toContain(path);
    for (const path of ['docs rename', 'bots edit', 'bots delete', 'keys delete', 'teams get', 'keys get'])
      expect(tried).toContain(path);
    expect(writing.length).toBeGreaterThan(20);
    expect(reading.length).toBeGreaterThan(10);
  });

  const cases = [
    ['writes', writing],
    ['reads', reading],
  ] as const;
  describe.each(cases)('for what %s', (_what, lines) => {
    it.each(lines)('$label is not taken: exit 5, the whole name on stderr, nothing changed', async (half) => {
      await place.enter('one');
      for (const situation of situations.filter(({ terminal }) => terminal === false)) {
        // What opens an editor needs a person, who is there; the result goes to a pipe.
        const needsPerson = half.walked.path === 'bots edit';
        const { changes } = place.front;
        place.front.refuse(undefined);
        const words = [...half.words(), ...situation.more];
        const ran = await place.run(words, needsPerson ? { terminal: true, piped: true } : {});
        if (!needsPerson) expectClean(ran, situation);
        if (needsPerson) expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
        else expectFailure(ran, 5, situation);
        expect(ran.stderr).toContain(half.typed);
        expect(ran.stderr).toContain(half.name);
        expect(ran.stderr).toContain('Did you mean');
        expect(place.front.seen.filter((call) => !call.startsWith('GET '))).toEqual([]);
        expect(place.front.changes).toBe(changes);
      }
    });
  });
});
