import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CampaignRow } from '../../src/campaigns/campaign.ts';
import { createDraft, type DraftInput } from '../../src/campaigns/draft.ts';
import { rowNumber } from '../../src/campaigns/list-numbers.ts';
import { messageTemplate } from '../../src/campaigns/render.ts';
import { AlikeMessages, RowSummary } from '../../src/campaigns/row-summary.ts';
import { phoneNumbers } from '../../src/lib/national-number.ts';
import { oneForm } from '../../src/lib/number-forms.ts';
import { runs } from '../support/long.ts';

const columns = ['name', 'phone'];
const toNumber = phoneNumbers(undefined);
type Cells = readonly (readonly [name: string, phone: string])[];

function draft(cells: Cells, more: Partial<DraftInput> & { readonly message?: string } = {}) {
  const linesOf = (before: Cells): number => before.join('').split('\n').length - 1;
  const recipients = cells.map(([name, phone], at) => ({
    line: at + 2 + linesOf(cells.slice(0, at)),
    cells: new Map([
      ['name', name],
      ['phone', phone],
    ]),
  }));
  const made = createDraft({
    columns,
    toColumn: 'phone',
    keyColumn: undefined,
    template: messageTemplate(more.message ?? 'Hello {{ name }}!', columns, '--message'),
    mayBeEmpty: false,
    devices: 1,
    limit: undefined,
    earlier: [],
    isOptedOut: () => false,
    ...more,
  });
  const rows = recipients.flatMap(
    (recipient) => made.take(recipient, rowNumber(recipient.cells.get('phone') ?? '', toNumber)) ?? [],
  );
  const notes = made.notes();
  return { ...notes, rows, problems: notes.problems.first };
}

const told = (rows: readonly CampaignRow[]) => rows.map(({ to, state, reason }) => [to, reason ?? state]);

describe('the rows of a campaign', () => {
  it('say on which line a number was first where cells before it are of several', () => {
    const [ana, bia, cid] = ['+5511988887777', '+5511988886666', '+5511988885555'];
    const { rows } = draft([
      ['Ana', ana],
      ['Bia\nMaria', bia],
      ['Cid\nde\nSouza', cid],
      ['Cid', cid],
      ['Bia', bia],
      ['Ana', ana],
    ]);
    expect(rows.slice(3).map(({ because }) => because)).toEqual([
      'row 3 (line 5) has its number',
      'row 2 (line 3) has its number',
      'row 1 (line 2) has its number',
    ]);
  });

  it('skip who is in the list twice, in both ways of writing a number, and who opted out', () => {
    const { rows } = draft(
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
    expect(rows[1]?.because).toBe('row 1 (line 2) has its number');
  });

  it('skip a key that came before, and refuse one that is missing', () => {
    const { rows, problems } = draft(
      [
        ['a', '+55 11 98888-7777'],
        ['a', '+55 11 96666-5555'],
        [' ', '+55 11 95555-4444'],
      ],
      { keyColumn: 'name' },
    );
    expect(told(rows).map(([, state]) => state)).toEqual(['planned', 'duplicate_key', 'invalid']);
    expect(problems).toEqual([{ line: 4, says: 'its key is missing: name is empty.' }]);
  });

  it('keep nobody from a message by a row that is itself skipped', () => {
    const { rows } = draft(
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
      ['duplicate', 'row 1 (line 2) has its number'],
      ['planned', undefined],
      ['duplicate_key', 'row 1 (line 2) has its key'],
      ['planned', undefined],
    ]);
  });

  it('have everything that is wrong told at once, by line', () => {
    const { problems } = draft([
      ['Ana', 'nobody'],
      ['Bia', '+55 11 98888-7777'],
      ['', '5.5E+12'],
    ]);
    expect(problems.map(({ line }) => line)).toEqual([2, 4]);
    const empty = draft([['', '']], { message: '{{ name }}' });
    expect(empty.problems).toEqual([{ line: 2, says: 'its number is missing; its message is empty.' }]);
  });

  it('are as many as the limit says, and the rest is left for the next time', () => {
    const list: Cells = ['+5511988887777', '+5511988887777', '+5511966665555', '+5511955554444'].map(
      (phone) => ['Ana', phone],
    );
    const first = draft(list, { limit: 1 });
    expect(told(first.rows)).toEqual([['5511988887777', 'planned']]);
    expect(first.left).toBe(3);
    const next = draft(list, { limit: 1, earlier: first.rows });
    expect(told(next.rows)).toEqual([['5511966665555', 'planned']]);
    expect(next).toMatchObject({ known: 2, left: 1 });
    expect(next.rows[0]?.row).toBe(2);
  });

  it('are not added again in whatever state they are, nor those with something wrong', () => {
    const list: Cells = [
      ['Ana', '+5511988887777'],
      ['Bia', '+5511966665555'],
      ['Cid', 'nobody'],
    ];
    const isOptedOut = (digits: string) => digits === '5511966665555';
    const { rows } = draft(list, { isOptedOut });
    expect(draft(list, { earlier: rows })).toMatchObject({ rows: [], known: 2, problems: [{ line: 4 }] });
  });

  it('warn of numbers that are not known, of empty cells, and of messages that say the same', () => {
    const { warnings } = draft([['', '+551188887777']]);
    expect(warnings).toEqual([
      'Not known to be in use, and sent all the same, 1 number: row 1 (line 2, +551188887777).',
      'name is empty, and the message uses it, in 1 row: row 1 (line 2).',
    ]);
    // What messaging apps show for Mexico and Argentina is dialled otherwise.
    const shown = draft([['Ana', '+521 55 1234 5678']]);
    expect(shown.warnings).toEqual([]);
    const many: Cells = Array.from({ length: 20 }, (_, at) => [`${at}`, `+55119${88880000 + at}`]);
    expect(draft(many).warnings).toEqual(['20 messages say the same, which networks take for spam.']);
    expect(draft(many).alike).toBe(20);
    const alike = new AlikeMessages();
    for (const row of draft(many).rows) alike.add(row);
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
  ])('with %s and the cell "%s" leave a gap: %s', (template, name, isGap) => {
    const { warnings } = draft([[name, '+5511988887777']], { message: `Hello ${template}!` });
    expect(warnings).toHaveLength(isGap ? 1 : 0);
  });

  it('go through the devices in turn, each of which sends at the same time as the others', () => {
    const list: Cells = [0, 1, 2].map((at) => ['Ana', `+551198888777${at}`]);
    const { rows } = draft(list, { devices: 2 });
    expect(rows.map(({ device }) => device)).toEqual([0, 1, 0]);
    const pace = { gap: { shortest: 6_000, longest: 15_000 } };
    expect(RowSummary.of(rows).messages.secondsNeeded(pace, 0)).toBe(11);
  });

  it('each write to another number, and none to one that opted out, whatever the list', () => {
    const phone = fc.oneof(
      fc.constantFrom('+5511988887777', '+551188887777', '+5215512345678', '+525512345678', 'x', ''),
      fc.integer({ min: 0, max: 20 }).map((at) => `+55119888877${at + 10}`),
    );
    const cells = fc.array(fc.tuple(fc.constantFrom('Ana', 'Bia', ''), phone), { maxLength: 30 });
    fc.assert(
      fc.property(cells, fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }), (list, limit) => {
        const isOptedOut = (digits: string) => digits.endsWith('5');
        const { rows, left, known } = draft(list, { isOptedOut, limit });
        const planned = rows.filter(({ state }) => state === 'planned');
        const numbers = planned.map(({ to }) => oneForm(to ?? ''));
        expect(new Set(numbers).size).toBe(numbers.length);
        expect(planned.filter(({ to }) => isOptedOut(to ?? ''))).toEqual([]);
        expect(rows.length + left + known).toBe(list.length);
        expect(planned.length).toBeLessThanOrEqual(limit ?? list.length);
        expect(rows.map(({ row }) => row)).toEqual(rows.map((_, at) => at + 1));
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('a message template', () => {
  const render = (text: string, cells: Readonly<Record<string, string>>) =>
    messageTemplate(text, Object.keys(cells), '--message').render(new Map(Object.entries(cells)));

  it('puts cells in, as they are, also of columns with a blank in their name', () => {
    expect(render('{{ name }}: {{ ["First name"] }}', { name: '<b>', 'First name': 'A & B' })).toBe(
      '<b>: A & B',
    );
    expect(render('Hello {{ name | default: "there" }}', { name: '' })).toBe('Hello there');
  });

  it('knows nothing but the columns', () => {
    for (const name of ['constructor', '__proto__', 'nome'])
      expect(() => render(`{{ ${name} }}`, { name: 'Ana' })).toThrow('and no column is called so');
    expect(() => render('{{ nome }}', { name: 'Ana' })).toThrow('Did you mean name?');
  });

  it.each(['render', 'include', 'layout'])('reads no file: %s', (tag) => {
    expect(() => render(`{% ${tag} "/etc/hostname" %}`, { name: 'Ana' })).toThrow(
      'it can read no other template',
    );
  });

  it.each([
    ['{{ name', 'is no template'],
    ['{% render name %}', 'it can read no other template'],
    ['{{ name | shout }}', 'undefined filter: shout'],
    ['{% for i in (1..100000000) %}x{% endfor %}', 'more memory than any message needs'],
  ])('is refused with its reason: %s', (text, says) => {
    expect(() => render(text, { name: 'Ana' })).toThrow(says);
  });
});
