import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Option as CommanderOption } from 'commander';
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../src/commands/branches.ts';

const source = fileURLToPath(new URL('../../src', import.meta.url));
const all = readdirSync(source, { recursive: true, encoding: 'utf8', withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name))
  .map((file) => ({ name: relative(source, file), lines: readFileSync(file, 'utf8').split('\n') }));
const files = all.filter(({ name }) => name.endsWith('.ts') && !name.endsWith('.d.ts'));

/** What starts an exported function or class. A constant that holds a function says so in its first line. */
const exported =
  /^export (?:async function\*?|function\*?|abstract class|class) (\w+)|^export const (\w+)(?::[^=]+)? = (?:async )?(?:\([^)]*\)|\w+)(?::[^=]+)? =>/;

describe('the source', () => {
  it('says of every exported function and class what it is for', () => {
    const undocumented = files.flatMap(({ name, lines }) => {
      // What takes several forms is documented where the first of them stands.
      const documented = new Set<string>();
      return lines.flatMap((line, at) => {
        const found = exported.exec(line);
        const what = found?.[1] ?? found?.[2];
        if (what === undefined || documented.has(what)) return [];
        documented.add(what);
        return lines[at - 1]?.trimEnd().endsWith('*/') ? [] : [`${name}:${at + 1} ${what}`];
      });
    });
    expect(undocumented).toEqual([]);
  });

  it('writes apostrophes and quotes as they are typed', () => {
    const curly = all.flatMap(({ name, lines }) =>
      lines.flatMap((line, at) => (/[\u2018\u2019\u201c\u201d]/.test(line) ? [`${name}:${at + 1}`] : [])),
    );
    expect(curly).toEqual([]);
  });
});

const commands = await allCommands();

/** Options that take another kind of value here and there, and why that surprises nobody. */
const twoMeanings: Readonly<Record<string, string>> = {
  include: 'To a call it is what curl calls so, headers before the body; to files which of them.',
  name: 'To a list it is a part of a name, to everything else a whole one.',
  out: 'Of a plan it is one file, of an export, which has several, their folder.',
  plan: 'Of a team it is what it pays for; tenants apply, which has no such option, takes the file of a plan.',
  question: 'Of a whole bot it carries its answer; "questions add" has --answer for that.',
  reset: 'To a fault it is what happens to a connection, and when; of what was chosen it undoes everything.',
  'shared-emails': 'A start only allows them; sandbox behave can also forbid them again.',
  wait: 'A pairing is waited for on a terminal unless --no-wait says no; a campaign only where it is said.',
};

describe('an option', () => {
  const options = commands.flatMap(({ path, command }) =>
    Object.entries(command.options).map(([name, option]) => ({
      name,
      option,
      ...partsOf(option.flags),
      where: `${path} ${option.flags}`,
    })),
  );

  it('is called in the code as it is on the line', () => {
    // One that is given several times is called by what all of them are: `--question`, `questions`.
    const allowed = (long: string, kind: string): readonly string[] => {
      const camel = long.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return kind === 'many' ? [camel, `${camel}s`, plural(camel)] : [camel];
    };
    const odd = options.filter(({ name, long, option }) => !allowed(long, option.kind).includes(name));
    expect(odd.map(({ where, name }) => `${where} is called ${name}`)).toEqual([]);
  });

  it('that is a team, a bot, a document, a device or a file lets questions and completions offer them', () => {
    const nouns = ['team', 'bot', 'document', 'device', 'profile', 'key'];
    const silent = options.filter(({ metavar, option }) => {
      if (metavar !== undefined && nouns.includes(metavar)) return option.noun !== metavar;
      return /^(?:file|directory|path)$/.test(metavar ?? '') && option.isPath !== true;
    });
    expect(silent.map(({ where }) => where)).toEqual([]);
  });

  it('of one name means one thing in every command', () => {
    const meanings = new Map<string, Set<string>>();
    for (const { long, metavar, option } of options) {
      const meaning = `${option.kind === 'many' ? 'value' : option.kind} ${metavar ?? ''}`;
      meanings.set(long, (meanings.get(long) ?? new Set()).add(meaning));
    }
    const several = [...meanings].filter(([long, kinds]) => kinds.size > 1 && !(long in twoMeanings));
    expect(Object.keys(twoMeanings).filter((long) => (meanings.get(long)?.size ?? 0) < 2)).toEqual([]);
    expect(several.map(([long, kinds]) => `--${long}: ${[...kinds].join(' or ')}`)).toEqual([]);
  });

  it('is summarised in a few words without a full stop', () => {
    const wordy = options.filter(({ option }) => !/^\S.{1,110}[^.\s]$/.test(option.summary));
    expect(wordy.map(({ where }) => where)).toEqual([]);
  });
});

describe('an argument', () => {
  it('that names a thing lets questions and completions offer those that there are', () => {
    const silent = commands.flatMap(({ path, command }) =>
      Object.entries(command.arguments)
        .filter(
          ([name, { noun }]) => ['team', 'bot', 'document', 'device', 'key'].includes(name) && noun !== name,
        )
        .map(([name]) => `${path} <${name}>`),
    );
    expect(silent).toEqual([]);
  });
});

function partsOf(flags: string): { readonly long: string; readonly metavar: string | undefined } {
  return { long: new CommanderOption(flags).name(), metavar: /[<[](.+)[>\]]/.exec(flags)?.[1] };
}

function plural(word: string): string {
  return word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`;
}
