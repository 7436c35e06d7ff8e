import type { Row } from '../../output/fields.ts';
import type { RenderContext } from '../../output/options.ts';
import type { OutputShape } from '../../output/shape.ts';
import { sanitiseLines } from '../../terminal/sanitise.ts';
import { rulerFor, wrap } from '../../terminal/width.ts';

/** The result of `doctor --learn`: a row for each choice. */
export const learnedOutput: OutputShape = {
  kind: 'list',
  fields: [
    { name: 'choice', importance: 9 },
    { name: 'specification' },
    { name: 'service', heading: 'This service' },
    { name: 'how', heading: 'How it is known' },
    { name: 'known', kind: 'flag' },
    { name: 'value', detail: true },
    { name: 'remedy' },
  ],
  drawEach: drawLearned,
};

const indent = '  ';

/** Draws a choice as people read it: what this service does, what the specification says, and how that is known. */
async function drawLearned(row: Row, { columns, paint, unicode, redact }: RenderContext): Promise<string> {
  const text = (value: unknown): string => redact(sanitiseLines(String(value ?? '')));
  const [mark, tone] = row.known
    ? ([unicode ? '✓' : '+', 'good'] as const)
    : ([unicode ? '–' : '-', 'quiet'] as const);
  const first = `${text(row.choice)}: ${row.known ? text(row.service) : 'unknown'}`;
  const arrow = unicode ? '→ ' : '> ';
  const below = [`Specification: ${text(row.specification)}. ${text(row.how)}`];
  const remedies = row.known ? [] : [text(row.remedy)];
  const ruler = await rulerFor([first, ...below, ...remedies]);
  const [head = '', ...rest] = wrap(ruler, first, columns - indent.length);
  const lines = [
    `${paint.tone(tone, mark)} ${head}`,
    ...rest.map((line) => indent + line),
    ...below
      .flatMap((one) => wrap(ruler, one, columns - indent.length))
      .map((line) => indent + paint.tone('quiet', line)),
    ...remedies
      .flatMap((one) => wrap(ruler, one, columns - indent.length - arrow.length))
      .map((line, at) => indent + (at === 0 ? arrow : ' '.repeat(arrow.length)) + line),
  ];
  return `${lines.join('\n')}\n`;
}
