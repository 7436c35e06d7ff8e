import { describe, expect, it } from 'vitest';
import { phoneColumns } from '../../src/campaigns/read-list.ts';
import { readRecipients } from '../../src/campaigns/recipients.ts';
import { collect } from '../../src/lib/iterables.ts';

const read = async (text: string | Uint8Array, options = {}) => {
  const list = await readRecipients(Buffer.from(text), 'people.csv', options);
  return { ...list, rows: await collect(list.rows()) };
};
const rowsOf = async (text: string | Uint8Array) =>
  (await read(text)).rows.map(({ line, cells }) => [line, ...cells.values()]);

describe('a list of recipients', () => {
  it.each([
    ['commas', 'name,phone\nAna,1\n'],
    ['semicolons', 'name;phone\nAna;1\n'],
    ['tabs', 'name\tphone\r\nAna\t1\r\n'],
    ['a line for Excel that says the separator', 'sep=|\nname|phone\nAna|1\n'],
    ['NDJSON', '{"name":"Ana","phone":1}\n'],
  ])('is parsed with %s', async (_, text) => {
    const { columns, rows } = await read(text);
    expect(columns).toEqual(['name', 'phone']);
    expect([...(rows[0]?.cells ?? [])]).toEqual([
      ['name', 'Ana'],
      ['phone', '1'],
    ]);
  });

  it.each([
    ['UTF-8 with a mark', Buffer.from('\ufeffname,phone\nJosé,1\n'), undefined],
    ['UTF-16 with a mark', Buffer.from('\ufeffname,phone\nJosé,1\n', 'utf16le'), undefined],
    ['windows-1252', Buffer.from('name,phone\nJos\xe9,1\n', 'latin1'), 'windows-1252'],
  ])('is parsed in %s', async (_, bytes, guessed) => {
    const list = await read(bytes);
    expect(list.rows[0]?.cells.get('name')).toBe('José');
    expect(list.guessedEncoding).toBe(guessed);
  });

  it('is decoded as UTF-8 wherever its characters lie, unless the last one is cut off', async () => {
    for (let shift = 0; shift < 4; shift += 1) {
      const text = `name,phone\n${'x'.repeat(shift)}${'\u{1F600}'.repeat(40_000)},1\n`;
      expect((await read(Buffer.from(text))).guessedEncoding).toBeUndefined();
    }
    const cut = Buffer.from('name,phone\nJosé,1\nBia,é').subarray(0, -1);
    expect((await read(cut)).guessedEncoding).toBe('windows-1252');
  });

  it('counts lines as an editor does, also after cells with line breaks and empty rows', async () => {
    expect(await rowsOf('name,phone\n"A\nna",1\n\n,\nBia,2\n')).toEqual([
      [2, 'A\nna', '1'],
      [6, 'Bia', '2'],
    ]);
    expect(await rowsOf('name,phone\r\n"A\r\nna",1\r\n"B\r\n\r\nia",2\r\n"C\ria",3\r\nDea,4\r\n')).toEqual([
      [2, 'A\r\nna', '1'],
      [4, 'B\r\n\r\nia', '2'],
      [7, 'C\ria', '3'],
      [9, 'Dea', '4'],
    ]);
  });

  it.each(['\n', '\r\n', '\r'])(
    'allows different line endings in one file, also after a first line with %j',
    async (end) => {
      expect(await rowsOf(`phone,name${end}1,Ana\n2,Bia\r\n3,Cia\n`)).toEqual([
        [2, '1', 'Ana'],
        [3, '2', 'Bia'],
        [4, '3', 'Cia'],
      ]);
    },
  );

  it.each(['\n', '\r\n'])('is the same at any length, with lines that end in %j', async (end) => {
    const names = Array.from({ length: 4000 }, (_, at) => `${'ã"'.repeat(at % 7)}${at}`);
    const cells = names.map((name) => `"${name.replaceAll('"', '""')}${end}",1`);
    const rows = await rowsOf(['name,phone', ...cells, ''].join(end));
    expect(rows).toEqual(names.map((name, at) => [2 * at + 2, `${name}${end}`, '1']));
    const lines = names.map((name) => JSON.stringify({ name, phone: 1 }));
    expect(await rowsOf(lines.join(end))).toEqual(names.map((name, at) => [at + 1, name, '1']));
  });

  it('may contain bare numbers with the option for that, and reports their lines', async () => {
    const options = { mayLackHead: true };
    for (const first of ['+55 11 98888-7777', '\u202a+5511988887777\u202c', 'tel:+5511988887777;x=1']) {
      const list = await read(`${first}\n+5511966665555\n`, options);
      expect(list.columns).toEqual(['phone']);
      expect(list.rows.map(({ line }) => line)).toEqual([1, 2]);
    }
  });

  it.each([
    ['a spreadsheet', Buffer.from('PK\x03\x04rest'), 'is a spreadsheet. Save it as CSV'],
    ['a NUL character', Buffer.from('name\0\n1\n'), 'has a NUL character at line 1, byte 5'],
    ['UTF-16 without a mark', Buffer.from('name\n1\n', 'utf16le'), 'it looks like UTF-16LE'],
    ['two columns of one name', 'a,a\n1,2\n', 'two columns are named a'],
    ['no rows', 'a,b\n', 'has no rows'],
    ['an open quote', 'a\n"b\n', 'missing or extra quote'],
    ['no members', '{}\n', 'has no JSON object'],
  ])('is refused as a whole: %s', async (_, content, says) => {
    await expect(read(content)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(says),
    });
  });

  it('reports problems of single rows', async () => {
    expect((await read('a,b\n1\n')).rows[0]?.problem).toBe(
      'the row has 1 cell, but the header has 2 columns.',
    );
    const [first, second] = (await read('{"a":{"b":1}}\nno\n')).rows;
    expect(first?.problem).toBe('a must be text, a number, or true or false.');
    expect(second?.problem).toBe('the line is not a JSON object.');
    const numbers = ['9007199254740993', '1234567890123456789', '1.10', '1e3', '-0'];
    const { rows } = await read(numbers.map((number) => `{"a":"1.10","b":${number}}\n`).join(''));
    expect(rows.map(({ problem }) => problem?.split(':')[0])).toEqual(
      numbers.map((number) => `${number} must be in quotes`),
    );
    const kept = ['9007199254740991', '5511988887777', '1.5', '-3'];
    const whole = await read(kept.map((number) => `{"a":"1.10","b":${number}}\n`).join(''));
    expect(whole.rows.map(({ problem, cells }) => [problem, cells.get('b')])).toEqual(
      kept.map((number) => [undefined, number]),
    );
  });
});

describe('a column', () => {
  it('with numbers is found by its name', () => {
    expect(phoneColumns(['id', 'Phone Number', 'city'])).toEqual(['Phone Number']);
    expect(phoneColumns(['Telefone', 'WhatsApp'])).toEqual(['Telefone', 'WhatsApp']);
    expect(phoneColumns(['número', 'phones'])).toEqual(['número']);
  });
});
