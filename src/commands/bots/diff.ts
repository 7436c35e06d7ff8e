import { defineCommand } from '../../command.ts';
import { Failure } from '../../errors.ts';
import { path, requiredOption } from '../../input/options.ts';
import { shellWord } from '../../text/shell-word.ts';
import { type Change, changesOf, drawChanges } from './changes.ts';
import { botArgument, teamOption } from './named.ts';
import { labelOf, readBot } from './read.ts';
import { writtenFile } from './written.ts';

export const diff = defineCommand({
  name: 'diff',
  summary: 'Show what a file would change about a bot',
  description:
    'The same fields as bots update would send, and nothing is sent. Ends with 11 where there is a ' +
    'difference, with 0 where there is none.',
  arguments: { bot: botArgument },
  options: {
    file: requiredOption('--file <file>', 'read the fields from a YAML or JSON file; - reads stdin', path),
    team: teamOption,
  },
  examples: [
    { line: 'botctl bots diff "Front desk" --file bot.yaml', does: 'See what the file would change' },
    { line: 'botctl bots diff "Front desk" --file bot.yaml -o json', does: 'Get the changes as JSON' },
  ],
  needs: 'session',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: [{ name: 'field', importance: 9 }, { name: 'from' }, { name: 'to' }],
    draw: (rows, { paint }) =>
      drawChanges(
        rows.map(({ field, from, to }) => ({ field: String(field), from: from ?? undefined, to })),
        { before: 'as it is', after: 'as the file says' },
        paint,
      ),
  },
  async prepare({ api, io }, { bot, file, team }) {
    const written = await writtenFile(io, file);
    const present = await readBot(api, bot, { for: 'read', team });
    return { present, file, changes: await changesOf(api, present, written) };
  },
  async run({ terminal }, _input, { present, changes: { list } }) {
    if (list.length === 0) terminal.note(`No difference: ${labelOf(present)} is like that already.`);
    const hidden = list.filter(({ from }) => from === undefined).map(({ field }) => field);
    if (hidden.length > 0) {
      terminal.note(`The service doesn't show ${hidden.join(', ')}, so an update would send it in any case.`);
    }
    // A field that isn't shown has no value to compare: null says so in JSON.
    return list.map(({ field, from = null, to }: Change) => ({ field, from, to }));
  },
  verdict(_rows, { present, file, changes: { list } }) {
    if (list.length === 0) return undefined;
    const fields = list.map(({ field }) => field).join(', ');
    const update = `botctl bots update ${present.id} --file ${shellWord(file)}`;
    return new Failure('drift', `${labelOf(present)} differs in ${fields}.`, {
      hint: file === '-' ? 'botctl bots update changes that.' : `Change it: ${update}`,
    });
  },
});
