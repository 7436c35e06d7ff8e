import { ownMember } from '../../lib/json-object.ts';
import { flagOf } from '../../lib/parse.ts';
import { groupedNumber } from '../../lib/text/numbers.ts';
import { type CommandLine, command } from '../../lib/text/remark.ts';
import type { Row } from '../../output/fields.ts';
import type { RenderContext } from '../../output/options.ts';
import { hasMembers } from '../../output/values.ts';
import { quotaNames } from '../../resources/teams/quotas.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { cut, type Ruler, rulerFor } from '../../terminal/width.ts';

/** The maximum number of lines of a list: all three lists must fit on 80x24, below the command. */
const mostLines = 4;

const gap = '  ';

/** Draws a team on one screen: its state, its quotas, and the first of its bots, documents and devices. */
export async function drawOverview(row: Row, context: RenderContext): Promise<string> {
  const { quotas, used } = row;
  const id = String(row.id);
  const devicesOf = command('device', 'list', '--where', `team_id=${id}`);
  const lines = {
    head: headOf(row, context),
    quotas: quotaNames.map((name) => quotaText(name, memberOf(used, name), memberOf(quotas, name))),
    bots: linesOf(row.bots, (bot) => [
      textOf(bot.name),
      flagText(bot.published, 'published', 'not published'),
    ]),
    documents: linesOf(row.documents, ({ name, chars }) => [textOf(name), `${textOf(chars)} characters`]),
    devices: linesOf(row.devices, ({ name, id, verdict }) => [textOf(name ?? id), textOf(verdict)]),
  };
  const ruler = await rulerFor([...lines.head, ...Object.values(lines).flat(2)]);
  const draw = (line: string): string => cut(ruler, line, context.columns, context.unicode ? '…' : '...');
  const drawn = [
    ...lines.head.map(draw),
    ...flowTexts(ruler, lines.quotas, context),
    ...section('Bots', lines.bots, command('bots', 'list', '--team', id), ruler, context),
    ...section('Documents', lines.documents, command('docs', 'list', '--team', id), ruler, context),
    ...section('Devices in the device book', lines.devices, devicesOf, ruler, context),
  ];
  return drawn.map((line) => `${line}\n`).join('');
}

function headOf(row: Row, { redact }: RenderContext): readonly string[] {
  const flags = [
    `plan ${textOf(row.plan_name)}`,
    flagText(row.paying, 'paying', 'not paying'),
    ...(flagOf(row.banned) === false ? [] : [flagText(row.banned, 'BANNED', 'not banned')]),
  ];
  return [redact(textOf(row.name)), `${textOf(row.id)}${gap}${flags.join(', ')}`];
}

/** Returns a text for a flag, or `?` with a text if the service doesn't return it. */
function flagText(value: unknown, yes: string, no: string): string {
  const flag = flagOf(value);
  return flag === undefined ? `${yes}: ?` : flag ? yes : no;
}

function quotaText(name: string, used: unknown, allowed: unknown): string {
  const may = typeof allowed === 'number' ? groupedNumber(allowed) : '?';
  return typeof used === 'number' ? `${name} ${groupedNumber(used)} of ${may}` : `${name} up to ${may}`;
}

/** Arranges texts side by side, with as many per line as fit. */
function flowTexts(ruler: Ruler, texts: readonly string[], { columns }: RenderContext): readonly string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const joined = `${lines.at(-1) ?? ''}${gap}${text}`;
    if (lines.length > 0 && ruler.width(joined) <= columns) lines[lines.length - 1] = joined;
    else lines.push(text);
  }
  return lines;
}

/**
 * Returns a heading with the number of objects, and the first of them in two columns.
 * @param whole the command that lists all of them
 */
function section(
  heading: string,
  all: readonly (readonly [string, string])[],
  whole: CommandLine,
  ruler: Ruler,
  { columns, unicode, paint, redact, service }: RenderContext,
): readonly string[] {
  const shown = all.length > mostLines ? all.slice(0, mostLines - 1) : all;
  const more = all.length - shown.length;
  const widest = Math.max(0, ...shown.map(([name]) => ruler.width(name)));
  const left = Math.min(widest, Math.max(10, Math.floor((columns - gap.length * 2) / 2)));
  const ellipsis = unicode ? '…' : '...';
  const lines = shown.map(([name, says]) => {
    const cell = cut(ruler, redact(name), left, ellipsis);
    const padding = ' '.repeat(Math.max(left - ruler.width(cell), 0));
    return cut(ruler, `${gap}${cell}${padding}${gap}${redact(says)}`, columns, ellipsis);
  });
  const text = `${gap}and ${more} more: ${whole.text(service)}`;
  // A command is never cut.
  const told =
    ruler.width(text) <= columns ? [text] : [`${gap}and ${more} more:`, `${gap}${gap}${whole.text(service)}`];
  const rest = more > 0 ? told.map((line) => paint.tone('quiet', line)) : [];
  return [paint.heading(`${heading} (${all.length})`), ...lines, ...rest];
}

function linesOf(
  value: unknown,
  lineOf: (row: Row) => readonly [string, string],
): readonly (readonly [string, string])[] {
  return Array.isArray(value) ? value.filter(hasMembers).map(lineOf) : [];
}

function memberOf(value: unknown, name: string): unknown {
  return hasMembers(value) ? ownMember(value, name) : undefined;
}

function textOf(value: unknown): string {
  if (typeof value === 'number') return groupedNumber(value);
  return value === null || value === undefined ? '?' : sanitise(String(value));
}
