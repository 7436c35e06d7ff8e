import { join } from 'node:path';
import { campaignFile } from '../../campaigns/store/file.ts';
import { choices } from '../../learn/learn.ts';
import { codeOf, exitCodes, failureKinds } from '../../lib/errors.ts';
import { ownMember } from '../../lib/json-object.ts';
import type { Paths } from '../../settings/paths.ts';
import { globalOptions } from '../global-options.ts';
import type { HelpPage, HelpPart, HelpRow } from './text.ts';

/** Values that replace the placeholders `{{name}}` of a topic, by name. */
type Values = Readonly<Record<string, string | number | readonly HelpRow[]>>;

/**
 * Parses the page of a topic from its Markdown: a title, paragraphs, `console` blocks, and lists of terms, each with or
 * without a colon and its meaning; a heading belongs to the block below it. Empty lines separate all of these.
 * @param paths the locations of files
 * @throws Error if the text has a placeholder `{{}}` without a value
 */
export function readPage(markdown: string, paths: Paths): HelpPage {
  const values = valuesOf(paths);
  const [title = '', ...blocks] = markdown.match(/^```console\n[\s\S]*?^```$|^.+(?:\n.+)*/gm) ?? [];
  const parts: HelpPart[] = [];
  let heading: string | undefined;
  for (const block of blocks) {
    if (block.startsWith('## ')) {
      heading = block.slice(3);
      continue;
    }
    const above = heading;
    heading = undefined;
    if (block.startsWith('- ')) {
      const rows = block
        .slice(2)
        .split('\n- ')
        .flatMap((item) => rowsOf(proseOf(item), values));
      parts.push(above === undefined ? { rows } : { heading: above, rows });
    } else if (block.startsWith('```')) {
      if (above !== undefined) parts.push(`${above}:`);
      parts.push({ shell: block.replace(/^.*\n|```$/g, '') });
    } else parts.push(above === undefined ? proseOf(block) : `${above}:\n${proseOf(block)}`);
  }
  return { title: title.slice(2), parts };
}

/** Joins the lines of the file, and removes the marks of code, which a terminal does not distinguish. */
function proseOf(block: string): string {
  return block.replaceAll(/\n */g, ' ').replaceAll('`', '');
}

/** Returns the row of a list item, or the rows of its placeholder. */
function rowsOf(item: string, values: Values): readonly HelpRow[] {
  const [term = '', ...meaning] = item.split(': ');
  const [, name] = /^\{\{(\w+)\}\}$/.exec(term) ?? [];
  const value = name === undefined ? term : ownMember(values, name);
  if (value === undefined) throw new Error(`Nothing is known as ${term}`);
  return typeof value === 'object' ? value : [[String(value), meaning.join(': ')]];
}

function valuesOf({ config, cache, data }: Paths): Values {
  return {
    choices: choices.map(({ name, specification }): HelpRow => [name, specification]),
    ...exitCodes,
    codes: Object.values(exitCodes).flatMap((exit) => {
      const kinds = Object.entries(failureKinds).filter(([, code]) => code === exit);
      if (kinds.length === 0) return [];
      const codes = kinds.map(([kind]) => codeOf(kind));
      // Rejected calls with a more specific code.
      if (exit === exitCodes.rejected)
        codes.push('DEVICE_NOT_CONNECTED', 'STALE_PLAN', 'NOT_ALLOWED', 'REPEATED');
      return [[String(exit), codes.join(', ')]];
    }),
    globalOptions: globalOptions.map(({ flags, summary, choices, words = {} }) => [
      // A short option precedes its long form; options without one are indented by the same width.
      flags.startsWith('--') ? `    ${flags}` : flags,
      [summary, (choices ?? Object.keys(words)).join(', ')].filter(Boolean).join(': '),
    ]),
    profiles: join(config, 'config.json'),
    rotations: join(config, 'rotations'),
    uploads: join(data, 'uploads'),
    cache,
    deviceBook: join(data, 'devices.ndjson'),
    usedNames: join(data, 'used-names.ndjson'),
    desks: join(data, 'desks'),
    assistantWrites: join(data, 'assistant-writes.ndjson'),
    campaigns: campaignFile(data),
    drafts: join(data, 'drafts'),
    sandbox: join(data, 'sandbox'),
  };
}
