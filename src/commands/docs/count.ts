import { defineCommand, withFailure } from '../../cli/command.ts';
import { argumentList, path } from '../../cli/options.ts';
import { countFiles } from '../../documents/upload/count-files.ts';
import { countingOf } from '../../documents/upload/upload-sources.ts';
import type { Fields } from '../../output/fields.ts';
import { countOptions, fileOptions } from './count-options.ts';

const fields: Fields = [
  { name: 'path', importance: 9, keepsEnd: true },
  { name: 'kind', usualWidth: 4, importance: 6 },
  { name: 'encoding', importance: 3 },
  { name: 'pages', kind: 'number', importance: 4 },
  { name: 'chars', kind: 'number', importance: 8 },
  { name: 'bytes', kind: 'bytes', importance: 4 },
  { name: 'empty_pages', importance: 3 },
  {
    name: 'reason',
    usualWidth: 11,
    importance: 7,
    tone: (reason) => (reason === undefined ? undefined : 'bad'),
  },
  { name: 'guessed', kind: 'flag', detail: true },
  { name: 'error', detail: true },
];

export const count = defineCommand({
  name: 'count',
  summary: 'Count the characters of files',
  description:
    'Needs no account and makes no requests. A folder means all files in it and in its subfolders, sorted by name. ' +
    'Hidden files, ~$ files of Office and links in a folder are skipped, unless you give their paths. If a path does not ' +
    'exist, nothing is counted and the exit code is 2. If a file cannot be counted, its row shows the reason and the exit ' +
    'code is 10, or 2 if no file was counted. See botctl help documents.',
  arguments: { path: argumentList('files, folders, or patterns such as "docs/**/*.pdf"', path) },
  options: { ...fileOptions, ...countOptions },
  examples: [
    { line: 'botctl docs count menu.txt', does: 'Count a text' },
    {
      line: 'botctl docs count docs --include "*.pdf" -o ndjson',
      does: 'Count the PDF files of a folder, one row at a time',
    },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: { kind: 'list', fields },
  async run(context, input) {
    const { rows, failure } = countFiles(context.reporter, {
      ...input,
      ...(await countingOf(context, input)),
    });
    return withFailure(rows, failure);
  },
});
