import type { Command as Commander } from 'commander';
import { Failure } from '../../lib/errors.ts';
import type { Io } from '../../lib/io.ts';
import { command, joinRemarks, remark } from '../../lib/text/remark.ts';
import { didYouMeanOneOf } from '../../lib/text/similar.ts';
import { commandsOfVerb, suggestWord } from '../usage/did-you-mean.ts';
import { type HelpPage, helpColumns, layOut } from './text.ts';
import { topics } from './topics.ts';

/**
 * Shows what `botctl help WORDS` asks for: a topic, a noun, a command, or botctl itself.
 * @param program with the commands of the noun that the words begin with
 * @throws Failure `usage` where there is no such thing
 */
export async function showHelp(
  program: Commander,
  words: readonly string[],
  io: Io,
  allCommands: () => Promise<Parameters<typeof commandsOfVerb>[1]>,
): Promise<void> {
  const [first] = words;
  const columns = helpColumns(io.stdout);
  const topic = words.length === 1 ? topics.find(({ name }) => name === first) : undefined;
  if (!topic) {
    (await nodeNamed(program, words, allCommands)).outputHelp();
    if (first === undefined) io.stdout.write(`\n${layOut(topicsPage, columns)}`);
    return;
  }
  io.stdout.write(layOut(await topic.load(io.env), columns));
}

const topicsPage: HelpPage = {
  title: 'Topics, each shown by botctl help <topic>:',
  parts: [{ rows: topics.map(({ name, summary }) => [name, summary]) }],
};

/** Returns what the words name. Words after those of a command are its arguments. */
async function nodeNamed(
  program: Commander,
  words: readonly string[],
  allCommands: Parameters<typeof showHelp>[3],
): Promise<Commander> {
  let node = program;
  for (const [index, word] of words.entries()) {
    const found = node.commands.find((child) => child.name() === word || child.aliases().includes(word));
    if (!found && node.commands.length === 0) return node;
    if (!found) throw await unknown(program, node, words, index, allCommands);
    node = found;
  }
  return node;
}

async function unknown(
  program: Commander,
  node: Commander,
  words: readonly string[],
  index: number,
  allCommands: Parameters<typeof showHelp>[3],
): Promise<Failure> {
  const { absentVerb } = await import('../usage/usage-failure.ts');
  const absent = absentVerb(words);
  if (absent) return absent;
  const before = words.slice(0, index);
  const names = [
    ...node.commands.map((child) => child.name()),
    ...(node === program ? topics.map(({ name }) => name) : []),
  ];
  const meant = suggestWord(words[index] ?? '', names);
  const typed = `"${words[index] ?? ''}"`;
  const what =
    node === program
      ? `There is no command or help topic ${typed}.`
      : `${command(...before).text()} has no command ${typed}.`;
  const verbs = node === program ? commandsOfVerb(words[index] ?? '', await allCommands()) : [];
  const suggested = verbs.length > 0 || meant === undefined ? verbs : [[...before, meant]];
  const ask = didYouMeanOneOf(suggested.map((path) => command('help', ...path)));
  return new Failure('usage', what, {
    hint: joinRemarks([ask, remark`See ${command(...before, '--help')}`], ' '),
  });
}
