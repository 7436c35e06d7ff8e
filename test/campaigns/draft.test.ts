import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CampaignRow } from '../../src/campaigns/campaign.ts';
import { createDraft, type DraftInput } from '../../src/campaigns/draft.ts';
import { rowNumber } from '../../src/campaigns/number-reader.ts';
import { messageTemplate } from '../../src/campaigns/render.ts';
import { AlikeMessages, RowSummary } from '../../src/campaigns/row-summary.ts';
import { Failure } from '../../src/lib/errors.ts';
import { phoneNumbers } from '../../src/phone-numbers/national-number.ts';
import { canonicalForm } from '../../src/phone-numbers/number-forms.ts';
import { draftInMemory } from '../support/draft-in-memory.ts';

function failureIn(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

const columns = ['name', 'phone'];
const toNumber = phoneNumbers(undefined);
type Cells = readonly (readonly [name: string, phone: string])[];

interface DraftOptions extends Partial<Omit<DraftInput, 'earlier'>> {
  readonly message?: string;
  readonly earlier?: readonly CampaignRow[];
  /** The number of recipients in each batch. */
  readonly atOnce?: number;
  isOptedOut?(digits: string): boolean;
}

async function draft(
  cells: Cells,
  { earlier = [], isOptedOut = () => false, atOnce = 2, ...more }: DraftOptions = {},
) {
  const linesOf = (before: Cells): number => before.join('').split('\n').length - 1;
  const recipients = cells.map(([name, phone], at) => ({
    line: at + 2 + linesOf(cells.slice(0, at)),
    cells: new Map([
      ['name', name],
      ['phone', phone],
    ]),
    number: rowNumber(phone, toNumber),
  }));
  const stored = draftInMemory(earlier, async () => undefined);
  const made = createDraft(
    {
      columns,
      toColumn: 'phone',
      keyColumn: undefined,
      template: messageTemplate(more.message ?? 'Hello {{ name }}!', columns, '--message'),
      mayBeEmpty: false,
      devices: 1,
      limit: undefined,
      ...more,
      earlier: earlier.length,
    },
    {
      firstRows: stored.firstRows,
      optedOut: async (numbers) => new Set(numbers.filter(isOptedOut)),
    },
  );
  const rows: CampaignRow[] = [];
  for (let at = 0; at < recipients.length; at += atOnce) {
    const some = await made.take(recipients.slice(at, at + atOnce));
    await stored.write(some);
    rows.push(...some);
  }
  const notes = made.notes();
  return { ...notes, rows, problems: notes.problems.first };
}

const told = (rows: readonly CampaignRow[]) => rows.map(({ to, state, reason }) => [to, reason ?? state]);

describe('the rows of a campaign', () => {
  it('name the line of the first occurrence of a number, even if earlier cells span several lines', async () => {
    const [ana, bia, cid] = ['+5511988887777', '+5511988886666', '+5511988885555'];
    const { rows } = await draft([
      ['Ana', ana],
      ['Bia\nMaria', bia],
      ['Cid\nde\nSouza', cid],
      ['Cid', cid],
      ['Bia', bia],
      ['Ana', ana],
    ]);
    expect(rows.slice(3).map(({ because }) => because)).toEqual([
      'row 3 (line 5) has the same number',
      'row 2 (line 3) has the same number',
      'row 1 (line 2) has the same number',
    ]);
  });

  it('skip a number that is listed twice, in either notation, or has opted out', async () => {
    const { rows } = await draft(
      [
        ['Ana', '+55 11 98888-7777'],
        ['Ana', '+55 11 8888-7777'],
        ['Bia', '+52 55 1234 5678'],
        ['Cid', '+351 912 345 678'],
      ],
      { isOptedOut: (digits) => digits === '525512345678' },
    );
    expect(told(rows)).toEqual([
      ['5511988887777', 'planned'],
      ['551188887777', 'duplicate'],
      ['525512345678', 'opted_out'],
      ['351912345678', 'planned'],
    ]);
    expect(rows[1]?.because).toBe('row 1 (line 2) has the same number');
  });

  it('skip a key that was used before, and refuse a missing key', async () => {
    const { rows, problems } = await draft(
      [
        ['a', '+55 11 98888-7777'],
        ['a', '+55 11 96666-5555'],
        [' ', '+55 11 95555-4444'],
      ],
      { keyColumn: 'name' },
    );
    expect(told(rows).map(([, state]) => state)).toEqual(['planned', 'duplicate_key', 'invalid']);
    expect(problems).toEqual([{ line: 4, message: 'its key is missing: name is empty.' }]);
  });

  it('are not duplicates of a row that is itself skipped', async () => {
    const { rows } = await draft(
      [
        ['1', '+55 11 98888-7701'],
        ['2', '+55 11 98888-7701'],
        ['2', '+55 11 98888-7702'],
        ['1', '+55 11 98888-7703'],
        ['9', '+55 11 98888-7703'],
      ],
      { keyColumn: 'name' },
    );
    expect(rows.map(({ reason, state, because }) => [reason ?? state, because])).toEqual([
      ['planned', undefined],
      ['duplicate', 'row 1 (line 2) has the same number'],
      ['planned', undefined],
      ['duplicate_key', 'row 1 (line 2) has the same key'],
      ['planned', undefined],
    ]);
  });

  it('report every problem at once, by line', async () => {
    const { problems } = await draft([
      ['Ana', 'nobody'],
      ['Bia', '+55 11 98888-7777'],
      ['', '5.5E+12'],
    ]);
    expect(problems.map(({ line }) => line)).toEqual([2, 4]);
    const empty = await draft([['', '']], { message: '{{ name }}' });
    expect(empty.problems).toEqual([{ line: 2, message: 'its number is missing; its message is empty.' }]);
  });

  it('stop at the limit and leave the rest for the next run', async () => {
    const list: Cells = ['+5511988887777', '+5511988887777', '+5511966665555', '+5511955554444'].map(
      (phone) => ['Ana', phone],
    );
    const first = await draft(list, { limit: 1 });
    expect(told(first.rows)).toEqual([['5511988887777', 'planned']]);
    expect(first.beyondLimit).toBe(3);
    const next = await draft(list, { limit: 1, earlier: first.rows });
    expect(told(next.rows)).toEqual([['5511966665555', 'planned']]);
    expect(next).toMatchObject({ existing: 2, beyondLimit: 1 });
    expect(next.rows[0]?.row).toBe(2);
  });

  it('are not added again in any state, and neither are invalid rows', async () => {
    const list: Cells = [
      ['Ana', '+5511988887777'],
      ['Bia', '+5511966665555'],
      ['Cid', 'nobody'],
    ];
    const isOptedOut = (digits: string) => digits === '5511966665555';
    const { rows } = await draft(list, { isOptedOut });
    expect(await draft(list, { earlier: rows })).toMatchObject({
      rows: [],
      existing: 2,
      problems: [{ line: 4 }],
    });
  });

  it('warn about numbers that may not be in use, empty cells and identical messages', async () => {
    const { warnings } = await draft([['', '+551188887777']]);
    expect(warnings).toEqual([
      '1 number may not be in use and will be sent to anyway: row 1 (line 2, +551188887777).',
      'name is used in the message, but empty in 1 row: row 1 (line 2).',
    ]);
    // Numbers of Mexico and Argentina are dialled differently from how messaging apps show them.
    const shown = await draft([['Ana', '+521 55 1234 5678']]);
    expect(shown.warnings).toEqual([]);
    const many: Cells = Array.from({ length: 20 }, (_, at) => [`${at}`, `+55119${88880000 + at}`]);
    expect((await draft(many)).warnings).toEqual(['20 messages are alike. Networks may treat them as spam.']);
    expect((await draft(many)).alike).toBe(20);
    const alike = new AlikeMessages();
    for (const row of (await draft(many)).rows) alike.add(row);
    expect(alike.most).toBe(20);
  });

  it.each([
    ['{{ name | default: "there" }}', '', false],
    ['{% if name != "" %}, {{ name }}{% endif %}', '', false],
    ['{% if name == "" %}you{% else %}{{ name | upcase }}{% endif %}', '', false],
    ['{{ name | upcase }}', '', true],
    ['{{ name | default: "there" }}, {{ name }}', '', true],
    ['{{ name | size }}', '', true],
    ['{{ name | default: "there" }}', ' ', true],
  ])('with %s and the cell "%s" leave a gap: %s', async (template, name, isGap) => {
    const { warnings } = await draft([[name, '+5511988887777']], { message: `Hello ${template}!` });
    expect(warnings).toHaveLength(isGap ? 1 : 0);
  });

  it('are distributed over the devices in turn, which send in parallel', async () => {
    const list: Cells = [0, 1, 2].map((at) => ['Ana', `+551198888777${at}`]);
    const { rows } = await draft(list, { devices: 2 });
    expect(rows.map(({ device }) => device)).toEqual([0, 1, 0]);
    const pace = { gap: { shortest: 6_000, longest: 15_000 } };
    expect(RowSummary.of(rows).messages.secondsNeeded(pace)).toBe(11);
  });

  it('are planned at most once per number, and never for an opted-out number, for any list', async () => {
    const phone = fc.oneof(
      fc.constantFrom('+5511988887777', '+551188887777', '+5215512345678', '+525512345678', 'x', ''),
      fc.integer({ min: 0, max: 20 }).map((at) => `+55119888877${at + 10}`),
    );
    const cells = fc.array(fc.tuple(fc.constantFrom('Ana', 'Bia', ''), phone), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(
        cells,
        fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
        async (list, limit) => {
          const isOptedOut = (digits: string) => digits.endsWith('5');
          const { rows, beyondLimit, existing } = await draft(list, { isOptedOut, limit });
          const planned = rows.filter(({ state }) => state === 'planned');
          const numbers = planned.map(({ to }) => canonicalForm(to ?? ''));
          expect(new Set(numbers).size).toBe(numbers.length);
          expect(planned.filter(({ to }) => isOptedOut(to ?? ''))).toEqual([]);
          expect(rows.length + beyondLimit + existing).toBe(list.length);
          expect(planned.length).toBeLessThanOrEqual(limit ?? list.length);
          expect(rows.map(({ row }) => row)).toEqual(rows.map((_, at) => at + 1));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('a message template', () => {
  const render = (text: string, cells: Readonly<Record<string, string>>) =>
    messageTemplate(text, Object.keys(cells), '--message').render(new Map(Object.entries(cells)));

  it('inserts cells unchanged, and supports column names with spaces', () => {
    expect(render('{{ name }}: {{ ["First name"] }}', { name: '<b>', 'First name': 'A & B' })).toBe(
      '<b>: A & B',
    );
    expect(render('Hello {{ name | default: "there" }}', { name: '' })).toBe('Hello there');
  });

  const value = fc.constantFrom('name', '["First name"]', '"a | b, c"', "'it'", '1.5', 'name.size');
  const filters = fc.array(
    fc.constantFrom(' | upcase', '|append: "x"', ' | default: name, allow_false: true', ' | slice: 0, 2'),
    { maxLength: 2 },
  );
  const comparisons = fc.array(
    fc
      .tuple(fc.constantFrom(' == ', '!=', ' and ', ' or not ', ' contains '), value)
      .map((parts) => parts.join('')),
    { maxLength: 2 },
  );
  const expressions = fc.tuple(value, comparisons, filters).map((parts) => parts.flat().join(''));
  const places = fc.constantFrom<(text: string) => string>(
    (text) => `{{ ${text} }}`,
    (text) => `{{-${text}-}}`,
    (text) => `{% if ${text} %}a{% elsif name %}b{% endif %}`,
    (text) => `{% if name %}a{% elsif ${text} %}b{% endif %}`,
    (text) => `{% assign x = ${text} %}`,
    (text) => `{% liquid\n  echo ${text}\n%}`,
    (text) => `{% case ${text} %}{% when "a", name or 1 %}a{% endcase %}`,
  );
  const both = { name: 'Ana', 'First name': 'Ana Maria' };

  it('is parsed as a whole or refused', () => {
    const more = fc.constantFrom(' name', ' ,, name', ' name | upcase', ' (name)', ' ]', ' "x"');
    fc.assert(
      fc.property(places, expressions, more, (put, text, rest) => {
        expect(() => render(put(text), both)).not.toThrow();
        expect(() => render(put(text + rest), both)).toThrow('is not a valid template');
      }),
    );
  });

  it.each([
    ['{{ First name }}', 'in {{ First name }} (line 1, column 1), name would be ignored'],
    ['Hi\n {{ name , name }}', '(line 2, column 2), , name would be ignored'],
    ['{{ ["First name" name] }}', 'would be ignored'],
    ['{% case name %}{% when "a" "b" %}x{% endcase %}', '"b" would be ignored'],
    ['{% for i in (1..2) name %}x{% endfor %}', 'name would be ignored'],
    ['{% unless name %}x{% else name %}y{% endunless %}', 'name would be ignored'],
  ])('is refused if Liquid would ignore a part of it: %s', (text, says) => {
    const failed = failureIn(() => render(text, both));
    expect(failed.message).toContain(says);
    expect(String(failed.hint)).toContain('{{ ["First name"] }}');
    expect(() =>
      render(`{% comment %} a b {{ c d }} {% endcomment %}{% raw %}{{ a b }}{% endraw %}`, both),
    ).not.toThrow();
  });

  it('shows the syntax for a name of two words if a column is missing', () => {
    expect(String(failureIn(() => render('{{ nome }}', both)).hint)).toContain('{{ ["First name"] }}');
    expect(() => render('{{ Prénom }}', { 'Pre\u0301nom': 'Ana' })).toThrow('They look the same');
  });

  it.each([
    ['{{ size | modulo: 0 }}', 'NaN'],
    ['{{ name | to_integer | append: " EUR" }}', 'NaN'],
    ['Infinity Spa: {{ size | divided_by: 0 }}', 'Infinity'],
    ['{{ name | split: "," | group_by: "size" }}', '[object Object]'],
  ])('is refused for a row if a value fails: %s', (text, says) => {
    expect(() => render(text, { name: 'Ana', size: '3' })).toThrow(`a value is ${says}`);
  });

  it('may contain NaN, Infinity and [object Object] as literal text', () => {
    const text = 'Infinity, NaN, [object Object]: {{ name }}';
    expect(render(text, { name: 'Infinity NaN' })).toBe(`${text.slice(0, -10)}Infinity NaN`);
  });

  it.each([
    ['{{ name | split: "" | first }}', '😀', 'its message has half of a character (U+D83D).'],
    ['{{ name }}', 'a\ufffd', 'its message has U+FFFD, which marks a character that was lost.'],
    ['{{ name }}', 'a\0', 'its message has a NUL character.'],
    ['{{ name }}', '\ufeffa', 'its message has a byte order mark (U+FEFF).'],
  ])('renders no message with invalid characters: %s of %j', async (message, name, says) => {
    const { rows, problems } = await draft([[name, '+5511988887777']], { message });
    expect(problems).toEqual([{ line: 2, message: says }]);
    expect(rows).toMatchObject([{ state: 'skipped', reason: 'invalid' }]);
  });

  it('can read nothing but the columns', () => {
    for (const name of ['constructor', '__proto__', 'nome'])
      expect(() => render(`{{ ${name} }}`, { name: 'Ana' })).toThrow('no such column');
    expect(() => render('{{ nome }}', { name: 'Ana' })).toThrow('Did you mean name?');
  });

  it.each(['render', 'include', 'layout'])('reads no files: %s', (tag) => {
    expect(() => render(`{% ${tag} "/etc/hostname" %}`, { name: 'Ana' })).toThrow(
      "a template can't include another one",
    );
  });

  it.each([
    ['{{ name', 'is not a valid template'],
    ['{% render name %}', "a template can't include another one"],
    ['{{ name | shout }}', 'undefined filter: shout'],
    ['{% for i in (1..100000000) %}x{% endfor %}', 'too much memory'],
  ])('is refused with its reason: %s', (text, says) => {
    expect(() => render(text, { name: 'Ana' })).toThrow(says);
  });
});
