import { type OutputFormat, outputFormats } from '../../output/formats.ts';
import type { HelpPage } from './text.ts';

/** What each format is good for. */
const meanings: Readonly<Record<OutputFormat, string>> = {
  table: 'for people: fits the width, relative times; a detail view is a card',
  json: 'one JSON document; a list is an array, events are one document a line; members that botctl does not know stay',
  ndjson: 'one JSON object a line, as they come: for long lists and for events',
  csv: 'with a heading; cells that a spreadsheet would run as formulas are neutralised',
  tsv: 'tab-separated, without a heading unless --header is given',
  yaml: 'as JSON, in YAML',
  id: 'the ids alone, one a line: for xargs',
};

/** `botctl help output`. */
export const outputPage: HelpPage = {
  title: 'Output',
  parts: [
    'stdout carries the result and nothing else. Progress, notes, questions, the pairing screen and errors ' +
      'go to stderr. An empty list is a result, with exit code 0.',
    { heading: 'Formats, chosen with -o', rows: outputFormats.map((format) => [format, meanings[format]]) },
    'Without -o a terminal gets a table, and a pipe gets tsv: whole values, ISO times, no colour; a single ' +
      'object as field and value; events, such as those of device connect --wait, as ndjson.',
    '--fields a,b picks members and orders them: --fields id,name,quotas.bots. -o help lists the fields of a ' +
      'command, as in botctl teams list -o help.',
    'A list shows 50 rows (--limit N), every row with --all, or one page with --page; where rows were left out, a line ' +
      'on stderr says how many and how to get them. --all streams: memory does not grow with the list, except for -o ' +
      'json, -o yaml and --sort, which need every row.',
    'Lists take --where and --sort, over all rows. --where role=support, role!=support, published=yes: a text has to ' +
      'be the very same; name~desk finds a part of it, whatever its case and accents. A date or the beginning of one ' +
      'matches all of it, as in created_at=2026-11-21; vector_id= finds rows without one. --sort name or created_at:desc: rows without the field come last. A dot ' +
      'takes any member, listed or not, here and for --fields: .member. Where the service can filter by the same, botctl ' +
      'sends only those.',
    {
      shell: `
$ botctl teams list --all --where plan_name=pro --sort name -o json --fields name,paying
[
  {
    "name": "Aurora Coffee",
    "paying": false
  },
  {
    "name": "Harbour Books",
    "paying": false
  }
]
$ botctl teams list | cut -f 2
Aurora Coffee
Harbour Books
`,
    },
    'Colour shows on terminals only. NO_COLOR and --no-color take it away, FORCE_COLOR brings it back.',
    'With -o json a failure ends stderr with one line of JSON; see botctl help exit-codes.',
  ],
};
