import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { Failure } from '../../src/lib/errors.ts';
import type { Fields, Row } from '../../src/output/fields.ts';
import { checkFields, describeFields, present } from '../../src/output/present.ts';
import type { OutputShape } from '../../src/output/shape.ts';
import { similarField } from '../../src/output/values.ts';
import { Secret } from '../../src/secrets/secret.ts';
import {
  anyText,
  arriving,
  Captured,
  copiedWhole,
  dangerous,
  hostile,
  now,
  presented,
  terminalWidth,
  utf8,
} from '../terminal/support.ts';

const fields: Fields = [
  { name: 'id', kind: 'id', importance: 9 },
  { name: 'name', importance: 8 },
  { name: 'size', kind: 'bytes', importance: 6 },
  { name: 'chars', kind: 'number', importance: 6 },
  { name: 'connected', kind: 'flag', importance: 7, tone: (value) => (value === true ? 'good' : undefined) },
  { name: 'created_at', heading: 'created', kind: 'time', importance: 2 },
  { name: 'quotas.bots', kind: 'number', detail: true },
];
const list: OutputShape = { kind: 'list', fields };
const record: OutputShape = { kind: 'record', fields };
const events: OutputShape = { kind: 'events', fields };

const acme: Row = {
  id: 't1',
  name: 'Acme',
  size: 1_500_000,
  chars: 12_345,
  connected: true,
  created_at: '2026-11-21T09:57:00Z',
  quotas: { bots: 3, documents: 9 },
  surprise: 'kept',
};
const bolt: Row = { id: 't2', name: 'Bolt\tand\nNut\\', size: 7, chars: null, connected: false };

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Failure)) throw new Error('no failure was thrown');
  return thrown;
}

describe('a list', () => {
  test('is a table on a terminal, with relative times and without details', async () => {
    const { text } = await presented([acme, bolt], list, { columns: 100, color: false });
    expect(text).toBe(
      [
        'ID  NAME             SIZE   CHARS  CONNECTED  CREATED',
        't1  Acme           1.5 MB  12,345  yes        3 minutes ago',
        't2  Bolt and Nut\\     7 B       –  no         –',
        '',
      ].join('\n'),
    );
  });

  test('is TSV without a heading in a pipe, with the values of the API', async () => {
    const { text } = await presented([acme, bolt], list);
    expect(text).toBe(
      't1\tAcme\t1500000\t12345\ttrue\t2026-11-21T09:57:00Z\nt2\tBolt\\tand\\nNut\\\\\t7\t\tfalse\t\n',
    );
  });

  test('has a heading in TSV with --header', async () => {
    const { text } = await presented([], list, { header: true });
    expect(text).toBe('id\tname\tsize\tchars\tconnected\tcreated_at\n');
  });

  test('is an array in JSON, with every member, on one line in a pipe and indented on a terminal', async () => {
    const piped = await presented(arriving(acme, bolt), list, { output: 'json' });
    expect(piped.text).toMatch(/^\[\{.*\}\]\n$/);
    expect(JSON.parse(piped.text)).toEqual([acme, bolt]);
    const shown = await presented([acme], list, { output: 'json', columns: 80 });
    expect(shown.text).toMatch(/^\[\n {2}\{\n/);
  });

  test('is a line for each row in NDJSON', async () => {
    const { text } = await presented(arriving(acme, bolt), list, { output: 'ndjson' });
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toEqual([acme, bolt]);
  });

  test('is CSV with a heading and RFC 4180 quotes', async () => {
    const row = { id: 'a"b', name: 'x,y\nz', size: -5, chars: 2 };
    const { text } = await presented([row], list, { output: 'csv' });
    expect(text).toBe('id,name,size,chars,connected,created_at\r\n"a""b","x,y\nz",-5,2,,\r\n');
  });

  test.each(['=1+1', '+55 11', '+55+11', '+5511\n=1', '-5511', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1'])(
    'has no formula in CSV: %j',
    async (name) => {
      const { text } = await presented([{ name }], list, { output: 'csv', fields: ['name'] });
      expect(text.split('\r\n')[1]).toMatch(/^"?'/);
    },
  );

  test('has phone numbers in CSV unchanged, so that other programs accept them', async () => {
    const { text } = await presented([{ name: '+5511988887777' }], list, { output: 'csv', fields: ['name'] });
    expect(text).toBe('name\r\n+5511988887777\r\n');
  });

  test('is YAML', async () => {
    const { text } = await presented([acme, bolt], list, { output: 'yaml' });
    expect(parse(text)).toEqual([acme, bolt]);
  });

  test('is its ids, one per line', async () => {
    const rows = [{ id: 't1' }, { key_id: 'k1' }, { device_id: 'd1', name: 'x' }];
    expect((await presented(rows, list, { output: 'id' })).text).toBe('t1\nk1\nd1\n');
    expect(await failureOf(presented([{ name: 'x' }], list, { output: 'id' }))).toMatchObject({
      kind: 'usage',
    });
  });

  test.each([
    ['table', ''],
    ['json', '[]\n'],
    ['ndjson', ''],
    ['csv', 'id,name,size,chars,connected,created_at\r\n'],
    ['tsv', ''],
    ['yaml', '[]\n'],
    ['id', ''],
  ] as const)('may be empty as %s', async (output, text) => {
    expect(await presented([], list, { output })).toEqual({ rows: 0, text });
    expect(await presented(arriving(), list, { output })).toEqual({ rows: 0, text });
  });

  test('returns how many rows were printed', async () => {
    for (const output of ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'] as const) {
      expect((await presented(arriving(acme, bolt), list, { output })).rows).toBe(2);
    }
  });
});

describe('a single object', () => {
  test('is a card on a terminal', async () => {
    const { text } = await presented({ ...acme, quotas: { bots: 3 } }, record, { columns: 80, color: false });
    expect(text).toBe(
      [
        'ID         t1',
        'Name       Acme',
        'Size       1.5 MB',
        'Chars      12,345',
        'Connected  yes',
        'Created    3 minutes ago (2026-11-21T09:57:00Z)',
        '',
        'Quotas',
        '  Bots     3',
        '',
      ].join('\n'),
    );
  });

  test('is a name and a value per line in a pipe, with nested values as JSON', async () => {
    const shape: OutputShape = {
      kind: 'record',
      fields: [{ name: 'id' }, { name: 'quotas' }, { name: 'missing' }],
    };
    const { text } = await presented(acme, shape);
    expect(text).toBe('id\tt1\nquotas\t{"bots":3,"documents":9}\nmissing\t\n');
    expect((await presented(acme, shape, { header: true })).text).toMatch(/^field\tvalue\nid\t/);
  });

  test.each(['json', 'ndjson'] as const)('is an object in %s', async (output) => {
    expect(JSON.parse((await presented(acme, record, { output })).text)).toEqual(acme);
  });

  test('is a document in YAML, a row in CSV, a line as an id', async () => {
    expect(parse((await presented(acme, record, { output: 'yaml' })).text)).toEqual(acme);
    const csv = (await presented(acme, record, { output: 'csv', fields: ['id', 'quotas'] })).text;
    expect(csv).toBe('id,quotas\r\nt1,"{""bots"":3,""documents"":9}"\r\n');
    expect((await presented(acme, record, { output: 'id' })).text).toBe('t1\n');
  });
});

describe('events', () => {
  const shape: OutputShape = {
    kind: 'events',
    fields: [{ name: 'name' }, { name: 'event' }, { name: 'at', detail: true }],
  };

  test('print the fixed fields of a single row, and its present optional ones', async () => {
    expect((await presented({ event: 'came', at: 'now' }, shape)).text).toBe(
      'name\t\nevent\tcame\nat\tnow\n',
    );
    expect((await presented({ event: 'came' }, shape)).text).toBe('name\t\nevent\tcame\n');
  });

  test('are NDJSON in a pipe, and one document with -o json, complete even if the work fails', async () => {
    const array = await presented(arriving(acme, bolt), events, { output: 'json' });
    expect(JSON.parse(array.text)).toEqual([acme, bolt]);
    expect((await presented(arriving(), events, { output: 'json' })).text).toBe('[]\n');
    const stdout = new Captured();
    const failing = async function* (): AsyncGenerator<Row> {
      yield acme;
      throw new Error('no more');
    };
    const work = present(failing(), events, {
      io: { stdout, env: utf8 },
      options: { output: 'json', fields: undefined, header: false, color: true },
      clock: { now: () => now },
    });
    await expect(work).rejects.toThrow('no more');
    expect(JSON.parse(stdout.text)).toEqual([acme]);
    for (const output of [undefined, 'ndjson'] as const) {
      const { text } = await presented(arriving(acme, bolt), events, { output });
      expect(
        text
          .trimEnd()
          .split('\n')
          .map((line): unknown => JSON.parse(line)),
      ).toEqual([acme, bolt]);
    }
  });

  test('are printed one by one, before the next exists', async () => {
    const stdout = new Captured();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const source = async function* (): AsyncGenerator<Row> {
      yield acme;
      await held;
      yield bolt;
    };
    const done = present(source(), events, {
      io: { stdout, env: utf8 },
      options: { output: undefined, fields: ['id'], header: false, color: true },
      clock: { now: () => now },
    });
    while (stdout.text === '') await new Promise((resolve) => setImmediate(resolve));
    expect(stdout.text).toBe('{"id":"t1"}\n');
    release();
    await done;
    expect(stdout.text).toBe('{"id":"t1"}\n{"id":"t2"}\n');
  });

  test('are printed before a failure, which then fails', async () => {
    const stdout = new Captured();
    const source = async function* (): AsyncGenerator<Row> {
      yield acme;
      throw new Failure('network', 'lost');
    };
    const failure = await failureOf(
      present(source(), events, {
        io: { stdout, env: utf8 },
        options: { output: 'id', fields: undefined, header: false, color: true },
        clock: { now: () => now },
      }),
    );
    expect(failure.message).toBe('lost');
    expect(stdout.text).toBe('t1\n');
  });

  test('are separate documents in YAML, and rows in a table and TSV', async () => {
    const yaml = await presented(arriving(acme, bolt), events, { output: 'yaml' });
    expect(parseAllDocuments(yaml.text).map((document): unknown => document.toJS())).toEqual([acme, bolt]);
    const table = await presented(arriving(acme, bolt), events, {
      columns: 40,
      color: false,
      fields: ['id', 'name'],
    });
    expect(table.text).toBe('ID  NAME\nt1  Acme\nt2  Bolt and Nut\\\n');
    expect((await presented(arriving(acme), events, { output: 'tsv', fields: ['id'] })).text).toBe('t1\n');
  });
});

describe('text and nothing', () => {
  test('are printed unchanged', async () => {
    const shape: OutputShape = { kind: 'text' };
    expect((await presented('{"a":1}', shape)).text).toBe('{"a":1}\n');
    expect((await presented('line\n', shape, { output: 'json' })).text).toBe('line\n');
    expect((await presented('', shape)).text).toBe('');
    expect((await presented(undefined, { kind: 'nothing' })).text).toBe('');
  });

  test('a result of another kind than declared is reported as a bug', async () => {
    await expect(presented('text', list)).rejects.toThrow(TypeError);
    await expect(presented([acme], record)).rejects.toThrow(TypeError);
    await expect(presented(acme, { kind: 'text' })).rejects.toThrow(TypeError);
  });
});

describe('--fields', () => {
  test('selects and orders in every format', async () => {
    const way = { fields: ['name', 'quotas.bots'] };
    expect((await presented([acme], list, { ...way, columns: 80, color: false })).text).toBe(
      'NAME  QUOTAS BOTS\nAcme            3\n',
    );
    expect((await presented([acme], list, way)).text).toBe('Acme\t3\n');
    expect((await presented([acme], list, { ...way, output: 'csv' })).text).toBe(
      'name,quotas.bots\r\nAcme,3\r\n',
    );
    expect((await presented([acme], list, { ...way, output: 'ndjson' })).text).toBe(
      '{"name":"Acme","quotas":{"bots":3}}\n',
    );
    expect(parse((await presented(acme, record, { ...way, output: 'yaml' })).text)).toEqual({
      name: 'Acme',
      quotas: { bots: 3 },
    });
    expect((await presented(acme, record, { ...way, columns: 80, color: false })).text).toBe(
      'Name    Acme\n\nQuotas\n  Bots  3\n',
    );
  });

  test('returns null for what a row lacks, so that every row has the same members', async () => {
    const { text } = await presented([acme, bolt], list, { output: 'json', fields: ['id', 'created_at'] });
    expect(JSON.parse(text)).toEqual([
      { id: 't1', created_at: acme.created_at },
      { id: 't2', created_at: null },
    ]);
  });

  test('combines the members of one object, and does not change the row', async () => {
    const names = ['quotas', 'quotas.bots', '.quotas.documents'];
    const { text } = await presented([acme], list, { output: 'ndjson', fields: names });
    expect(JSON.parse(text)).toEqual({ quotas: { bots: 3, documents: 9 } });
    expect(acme.quotas).toEqual({ bots: 3, documents: 9 });
  });

  test('maps a path through a list to each of its elements', async () => {
    const bot = {
      id: 'b1',
      documents: [{ document_id: 'd1', bot_id: 'b1' }, { document_id: 'd2' }],
      none: [],
    };
    const shape: OutputShape = { kind: 'record', fields: [{ name: 'documents' }, { name: 'none' }] };
    const names = ['documents.document_id', 'documents.bot_id', 'none.at_all'];
    const whole = {
      documents: [
        { document_id: 'd1', bot_id: 'b1' },
        { document_id: 'd2', bot_id: null },
      ],
      none: [],
    };
    expect(JSON.parse((await presented(bot, shape, { output: 'json', fields: names })).text)).toEqual(whole);
    expect(parse((await presented(bot, shape, { output: 'yaml', fields: names })).text)).toEqual(whole);
    expect((await presented(bot, shape, { output: 'tsv', fields: names })).text).toBe(
      'documents.document_id\t["d1","d2"]\ndocuments.bot_id\t["b1",null]\nnone.at_all\t[]\n',
    );
    expect((await presented([bot], list, { output: 'csv', fields: ['.documents.document_id'] })).text).toBe(
      'documents.document_id\r\n"[""d1"",""d2""]"\r\n',
    );
    const card = await presented(bot, shape, { columns: 80, color: false, fields: names });
    expect(card.text).toContain('d1\n  d2\n');
  });

  test('lists the valid ones, and suggests the likely one', async () => {
    const failure = await failureOf(presented([acme], list, { fields: ['nmae'] }));
    expect(failure).toMatchObject({ kind: 'usage', message: 'There is no field "nmae".' });
    expect(failure.hint).toContain('Did you mean name?');
    for (const { name } of fields) expect(failure.hint).toContain(name);
    expect(failure.hint).toContain('.nmae');
  });

  test.each(['json', 'ndjson', 'yaml', 'csv', 'tsv', 'table'] as const)(
    'accepts undeclared members in %s, with a dot',
    async (output) => {
      const { text } = await presented(arriving(acme, bolt), list, { output, fields: ['.surprise'] });
      expect(text).toContain('kept');
      expect(text).not.toContain('.surprise');
      const nowhere = await presented(arriving(acme, bolt), list, { output, fields: ['id', '.nowhere'] });
      expect(nowhere.rows).toBe(2);
      for (const unknown of ['surprise', '.']) {
        const shown = presented(arriving(acme, bolt), list, { output, fields: [unknown] });
        expect((await failureOf(shown)).kind).toBe('usage');
      }
    },
  );

  test.each([
    ['team', 'team_id'],
    ['Plan', 'plan_name'],
    ['active', 'is_active'],
    ['plna', 'plan_name'],
    ['name', undefined],
    ['nothing', undefined],
  ])('accepts headings of tables: %s is %s', (typed, meant) => {
    const named: Fields = [
      { name: 'team_id', heading: 'Team' },
      { name: 'plan_name', heading: 'Plan' },
      { name: 'is_active', heading: 'Active' },
    ];
    expect(similarField(typed, named)).toBe(meant);
  });

  test('is checked before a command does anything', () => {
    const stage = (output: 'json' | 'tsv', ...names: string[]) => ({
      io: { stdout: new Captured(), env: utf8 },
      options: { output, fields: names, header: false, color: true },
    });
    expect(() => checkFields(record, stage('json', 'surprise'))).toThrow('There is no field');
    expect(() => checkFields(record, stage('tsv', 'surprise'))).toThrow('There is no field');
    expect(() => checkFields(record, stage('tsv', '.surprise'))).not.toThrow();
    expect(() => checkFields(record, stage('tsv', 'quotas', 'id'))).not.toThrow();
    expect(() => checkFields({ kind: 'nothing' }, stage('tsv', 'x'))).not.toThrow();
    expect(() => checkFields(record, stage('json'))).toThrow('--fields is empty.');
  });

  test('-o id requires a field that is an id', () => {
    const stage = {
      io: { stdout: new Captured(), env: utf8 },
      options: { output: 'id', fields: undefined, header: false, color: true },
    } as const;
    expect(() => checkFields({ kind: 'list', fields: [{ name: 'name' }] }, stage)).toThrow('no id');
    expect(() => checkFields({ kind: 'list', fields: [{ name: 'key_id' }] }, stage)).not.toThrow();
  });

  test('lists them with -o help, with the options that accept them', () => {
    const text = describeFields(list, ['--fields', '--sort', '--where']);
    for (const { name } of fields) expect(text).toMatch(new RegExp(`^  ${name} `, 'm'));
    for (const option of ['--fields', '--sort', '--where']) expect(text).toContain(option);
    expect(describeFields({ kind: 'text' })).toContain('no fields');
    expect(describeFields({ kind: 'nothing' })).toContain('no result');
  });

  test('reads no member from the prototype', async () => {
    const row = JSON.parse('{"id":"x","__proto__":{"polluted":true}}') as Row;
    const { text } = await presented([row], list, { output: 'ndjson', fields: ['.__proto__', 'id'] });
    expect(text).toBe('{"__proto__":{"polluted":true},"id":"x"}\n');
    expect(await failureOf(presented([row], list, { output: 'json', fields: ['toString'] }))).toMatchObject({
      kind: 'usage',
    });
  });
});

describe('a secret', () => {
  test.each(['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml'] as const)('is masked as %s', async (output) => {
    const shape: OutputShape = { kind: 'record', fields: [{ name: 'token' }, { name: 'nested' }] };
    const row = { token: new Secret('hunter22'), nested: { token: new Secret('hunter22') } };
    for (const columns of [undefined, 80]) {
      const { text } = await presented(row, shape, { output, columns });
      expect(text).not.toContain('hunter');
      expect(text).toContain('••••••••');
    }
  });
});

describe('colour', () => {
  const row = { connected: true };
  const way = { columns: 80, fields: ['connected'] };
  const green = '\x1b[32myes\x1b[39m';

  test('has a meaning on a terminal', async () => {
    const { text } = await presented([row], list, way);
    expect(text).toBe(`\x1b[1mCONNECTED\x1b[22m\n${green}\n`);
  });

  test.each([
    ['--no-color', { color: false }],
    ['NO_COLOR', { env: { ...utf8, NO_COLOR: '1' } }],
    ['a dumb terminal', { env: { TERM: 'dumb' } }],
    ['a pipe', { columns: undefined, output: 'table' as const }],
    ['JSON', { output: 'json' as const }],
    ['TSV', { output: 'tsv' as const, env: { ...utf8, FORCE_COLOR: '3' } }],
  ])('is removed with %s', async (_what, change) => {
    expect((await presented([row], list, { ...way, ...change })).text).not.toContain('\x1b');
  });

  test('is restored with FORCE_COLOR', async () => {
    const env = { ...utf8, FORCE_COLOR: '1', NO_COLOR: '1' };
    const { text } = await presented([row], list, { ...way, columns: undefined, output: 'table', env });
    expect(text).toContain(green);
  });
});

describe('hostile text', () => {
  const shapes = [list, record, events];
  const rowOf = (text: string): Row => ({
    id: text,
    name: text,
    size: text,
    chars: { [text]: text },
    connected: [text],
    created_at: text,
    quotas: { bots: text },
  });
  const resultOf = (shape: OutputShape, row: Row) =>
    shape.kind === 'record' ? row : shape.kind === 'events' ? arriving(row) : [row];

  test.each(Object.entries(hostile))('never reaches a terminal raw: %s', async (_what, text) => {
    for (const shape of shapes) {
      for (const output of ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'] as const) {
        for (const columns of [undefined, 80]) {
          const printed = await presented(resultOf(shape, rowOf(text)), shape, {
            output,
            columns,
            color: false,
          });
          // Line ends belong to the format; a tab separates cells in TSV, and CSV keeps both inside quotes.
          expect(printed.text.replace(/[\t\r\n\u2028\u2029]/g, '')).not.toMatch(dangerous);
        }
      }
    }
  });

  test.each(Object.entries(hostile))('adds no line to a table or TSV: %s', async (_what, text) => {
    for (const way of [{ columns: 80 }, { output: 'tsv' }, { output: 'ndjson' }, { output: 'id' }] as const) {
      const { text: printed } = await presented([rowOf(text), rowOf(text)], list, way);
      expect(printed.split('\n')).toHaveLength('columns' in way ? 4 : 3);
    }
  });

  test('is lossless in JSON, NDJSON and YAML, for any text', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const row = rowOf(text);
        const whole: unknown = JSON.parse(JSON.stringify(row));
        expect(JSON.parse((await presented(row, record, { output: 'json' })).text)).toEqual(whole);
        expect(JSON.parse((await presented(row, record, { output: 'ndjson' })).text)).toEqual(whole);
        expect(parse((await presented(row, record, { output: 'yaml' })).text)).toEqual(whole);
      }),
    );
  });

  test('keeps TSV parseable: as many cells as fields, and every cell can be parsed', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const { text: line } = await presented([{ id: 'x', name: text }], list, {
          fields: ['id', 'name', 'size'],
        });
        const cells = line.slice(0, -1).split('\t');
        expect(cells).toHaveLength(3);
        const unescaped = cells[1]?.replace(
          /\\(.)/g,
          (_all, letter: string) => ({ t: '\t', n: '\n', r: '\r' })[letter] ?? letter,
        );
        expect(unescaped).not.toMatch(/[\x00-\x08\x1b]/);
      }),
    );
  });
});

describe('a table', () => {
  test('fits the terminal and stays aligned, for any content', async () => {
    const rows = fc.array(fc.record({ id: fc.uuid(), name: anyText, chars: fc.integer() }), {
      minLength: 1,
      maxLength: 5,
    });
    const shape: OutputShape = {
      kind: 'list',
      fields: [
        { name: 'name', importance: 8 },
        { name: 'connected', kind: 'flag', importance: 9 },
        { name: 'id', kind: 'id', importance: 4 },
        { name: 'chars', kind: 'number' },
      ],
    };
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 20, max: 200 }), async (some, columns) => {
        const { text } = await presented(
          some.map((row) => ({ ...row, connected: true })),
          shape,
          { columns, color: false },
        );
        const lines = text.trimEnd().split('\n');
        expect(lines).toHaveLength(some.length + 1);
        for (const line of lines) expect(terminalWidth(line)).toBeLessThanOrEqual(columns);
        // The flag is the same in every row, so it has to begin at one column in every line.
        const at = lines.map((line, index) =>
          terminalWidth(line.slice(0, line.lastIndexOf(index ? 'yes' : 'CONNECTED'))),
        );
        expect(new Set(at).size).toBe(1);
      }),
    );
  });

  test('stays aligned after combining marks without a letter', async () => {
    const shape: OutputShape = {
      kind: 'list',
      fields: [{ name: 'name' }, { name: 'connected', kind: 'flag' }],
    };
    // Tai Tham, which cli-table3 treats as a letter, and Latin.
    const rows = ['\u1a58', '\u0301', '\u1a58\u0301'].map((name) => ({ name, connected: true }));
    const { text } = await presented(rows, shape, { columns: 40, color: false });
    const lines = text.trimEnd().split('\n').slice(1);
    expect(lines.map((line) => terminalWidth(line.slice(0, line.indexOf('yes'))))).toEqual([6, 6, 6]);
  });

  test.each([20, 80])('of hostile text fits %d columns', async (columns) => {
    const rows = Object.values(hostile).map((text) => ({ ...acme, name: text }));
    const { text } = await presented(rows, list, { columns, color: false });
    for (const line of text.split('\n')) expect(terminalWidth(line)).toBeLessThanOrEqual(columns);
  });

  test('is truncated on a terminal only', async () => {
    const row = { name: 'x'.repeat(500) };
    const wide = await presented([row], list, { output: 'table', fields: ['name'] });
    expect(wide.text).toBe(`NAME\n${'x'.repeat(500)}\n`);
    const cut = await presented([row], list, { columns: 20, fields: ['name'], color: false });
    expect(cut.text).toBe(`NAME\n${'x'.repeat(19)}…\n`);
  });

  test('of many rows keeps its columns aligned', async () => {
    const rows = Array.from({ length: 1200 }, (_, index) => ({
      id: `t${index}`,
      name: `Team ${index}`,
      connected: true,
    }));
    const { text, rows: count } = await presented(arriving(...rows), list, {
      columns: 60,
      color: false,
      fields: ['name', 'connected', 'id'],
    });
    const lines = text.trimEnd().split('\n');
    expect(count).toBe(1200);
    expect(lines).toHaveLength(1201);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  });
});

describe('a card', () => {
  const shape: OutputShape = {
    kind: 'record',
    fields: [
      { name: 'name' },
      { name: 'empty' },
      { name: 'hidden', detail: true },
      { name: 'questions', detail: true },
      { name: 'tags', detail: true },
      { name: 'settings', detail: true },
      { name: 'documents', detail: true },
    ],
  };
  const bot: Row = {
    name: 'Sales\nbot',
    questions: [
      { question: 'When do you open?', answer: 'At nine.' },
      { question: 'Where?', answer: 'Rua Augusta' },
    ],
    tags: ['new', 'vip'],
    settings: { locale: 'pt', limits: { daily: 5 } },
    documents: [],
  };

  test('has a section for each nested object and list', async () => {
    const { text } = await presented(bot, shape, { columns: 60, color: false });
    expect(text).toBe(
      [
        'Name        Sales',
        '            bot',
        'Empty       –',
        '',
        'Questions (2)',
        '  Question  When do you open?',
        '  Answer    At nine.',
        '',
        '  Question  Where?',
        '  Answer    Rua Augusta',
        '',
        'Tags (2)',
        '  new',
        '  vip',
        '',
        'Settings',
        '  Locale    pt',
        '  Limits    daily: 5',
        '',
      ].join('\n'),
    );
  });

  test('is drawn for each event if a command requests that', async () => {
    const watched: OutputShape = { kind: 'events', fields: [{ name: 'status' }], cards: true };
    const source = (): AsyncIterable<Row> => arriving({ status: 'waiting' }, { status: 'ready' });
    const { text, rows } = await presented(source(), watched, { columns: 60, color: false });
    expect({ text, rows }).toEqual({ text: 'Status  waiting\n\nStatus  ready\n', rows: 2 });
    expect((await presented(source(), watched)).text).toBe('{"status":"waiting"}\n{"status":"ready"}\n');
  });

  test('fits any terminal, for any content', async () => {
    const anyRow = fc.record({
      name: anyText,
      empty: fc.option(anyText),
      questions: fc.array(fc.dictionary(fc.string({ maxLength: 8 }), anyText, { maxKeys: 3 }), {
        maxLength: 3,
      }),
      tags: fc.array(anyText, { maxLength: 3 }),
      settings: fc.dictionary(anyText, fc.jsonValue(), { maxKeys: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(anyRow, fc.integer({ min: 20, max: 200 }), async (row, columns) => {
        const { text } = await presented(row, shape, { columns, color: false });
        expect(text).not.toMatch(dangerous);
        for (const line of text.split('\n').filter((one) => !copiedWhole.test(one)))
          expect(terminalWidth(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

test('a reader that closes the pipe ends the work quietly, and the source is notified', async () => {
  const stdout = new Captured();
  let ended = false;
  const source = async function* (): AsyncGenerator<Row> {
    try {
      for (let index = 0; index < 1_000_000; index++) {
        if (index === 2000) stdout.destroy();
        yield { id: `t${index}` };
      }
    } finally {
      ended = true;
    }
  };
  const { rows } = await present(source(), list, {
    io: { stdout, env: utf8 },
    options: { output: 'id', fields: undefined, header: false, color: true },
    clock: { now: () => now },
  });
  expect(rows).toBeLessThan(5000);
  expect(ended).toBe(true);
});

test('a slow reader is awaited', async () => {
  const slow = new Captured();
  let open = 0;
  let most = 0;
  slow._write = (chunk, _encoding, done) => {
    open += chunk.length;
    most = Math.max(most, slow.writableLength);
    setImmediate(() => {
      open -= chunk.length;
      done();
    });
  };
  const rows = Array.from({ length: 5000 }, (_, index) => ({ id: `team-number-${index}` }));
  await present(arriving(...rows), list, {
    io: { stdout: slow, env: utf8 },
    options: { output: 'ndjson', fields: undefined, header: false, color: true },
    clock: { now: () => now },
  });
  expect(open).toBeLessThan(100_000);
  // Never more than the reader's buffer and one chunk of rows.
  expect(most).toBeLessThan(80_000);
});
