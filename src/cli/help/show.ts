import { Failure } from '../../lib/errors.ts';
import type { Io } from '../../lib/io.ts';
import { ownMember } from '../../lib/json-object.ts';
import { command, joinRemarks, remark } from '../../lib/text/remark.ts';
import { didYouMeanOneOf } from '../../lib/text/similar.ts';
import { commandsOf, type Line, readArgv, readLine } from '../argv.ts';
import type { Branch } from '../command.ts';
import { commandsOfVerb, suggestWord } from '../usage/did-you-mean.ts';
import { helpWords } from '../usage/synonyms.ts';
import { type HelpPage, helpColumns, layOut } from './text.ts';
import { topics } from './topics.ts';
import { helpOf } from './tree.ts';

/**
 * Shows the help that a command line asks for: a topic, a noun, a command, or botctl itself.
 * @throws Failure `usage` if `botctl help` is followed by words that name none of these
 */
export async function showHelp(line: Line, branches: readonly Branch[], io: Io): Promise<void> {
  const { argv, path, problem } = line;
  const columns = helpColumns(io.stdout);
  if (!argv.beginsWithHelp) {
    io.stdout.write(helpOf(line, branches, io.stdout));
    return;
  }
  const [first, ...others] = argv.operands;
  const word = first === undefined ? undefined : first.toLowerCase();
  const topic = others.length === 0 ? topicNamed(word) : undefined;
  if (topic) {
    // A topic with the name of a noun is shown below its commands.
    if (path[0] === topic.name) io.stdout.write(`${helpOf(line, branches, io.stdout)}\n`);
    io.stdout.write(layOut(await topic.load(io.env), columns));
    return;
  }
  const answer = path.length === 0 && word !== undefined ? ownMember(helpWords, word) : undefined;
  if (answer !== undefined) {
    await showHelp(await readLine(readArgv(['help', ...answer.split(' ')]), branches), branches, io);
    return;
  }
  if (problem?.kind === 'unknownCommand') throw await unknown(line, problem.word, branches);
  io.stdout.write(helpOf(line, branches, io.stdout));
  if (first === undefined) io.stdout.write(`\n${layOut(topicsPage, columns)}`);
}

function topicNamed(word: string | undefined): (typeof topics)[number] | undefined {
  return topics.find(({ name }) => name === word);
}

const topicsPage: HelpPage = {
  title: 'Topics, each shown by botctl help <topic>:',
  parts: [...new Set(topics.map(({ group }) => group))].map((heading) => ({
    heading,
    rows: topics.filter(({ group }) => group === heading).map(({ name, summary }) => [name, summary]),
  })),
};

async function unknown(
  { argv, path, commands }: Line,
  word: string,
  branches: readonly Branch[],
): Promise<Failure> {
  const { absentVerb } = await import('../usage/usage-failure.ts');
  const absent = absentVerb([...path.slice(0, 1), ...argv.operands.slice(1)]);
  if (absent) return absent;
  const [noun] = path;
  const all = await commandsOf(branches);
  const names = noun
    ? commands.flatMap(({ name }) => name.split(' ')[path.length - 1] ?? [])
    : [...branches, ...topics].map(({ name }) => name);
  const meant = suggestWord(word, names);
  const what = noun
    ? `${command(...path).text()} has no command "${word}".`
    : `"${word}" is not a command or a help topic.`;
  const verbs = noun
    ? []
    : commandsOfVerb(
        word,
        all.map((one) => one.path),
      );
  const suggested = verbs.length > 0 || meant === undefined ? verbs : [[...path, meant]];
  const ask = didYouMeanOneOf(suggested.map((one) => command('help', ...one)));
  return new Failure('usage', what, {
    hint: joinRemarks([ask, remark`See ${command(...path, '--help')}`], ' '),
  });
}
