// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of tenants' files are written so
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { mask } from '../../../src/secrets/secret.ts';
import { revealValue } from '../../../src/tenants/desired.ts';
import type { ReadTenants } from '../../../src/tenants/files/read-tenants.ts';
import { literalText } from '../../../src/tenants/files/variables.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { folderOf, problemsIn, readIn } from './files.ts';

/** Generates texts that look like placeholders. */
const tricky = fc.oneof(
  fc.constantFrom(
    '${env:HOME}',
    '$${env:HOME}',
    '$$${',
    '${',
    '$',
    '@front.md',
    '${var:x}',
    '${file:a}',
    '007',
    '+55',
    '<<',
    '*a',
    'null',
    '{',
    '- a',
    '#',
  ),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
);
const text = fc
  .array(tricky, { maxLength: 4 })
  .map((parts) => parts.join(''))
  // The placeholder of an omitted secret is refused, and so is a file with NUL.
  .filter((one) => !one.includes(mask) && !one.includes('\0'));

const first = ({ desired }: ReadTenants) => desired.tenants[0];

function tenantWith(fields: object): string {
  return stringify({
    version: 1,
    tenants: { aurora: { name: 'Aurora', bots: { a: { name: 'A', ...fields } } } },
  });
}

describe('a text', () => {
  it('escaped as a literal reads as itself', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.boolean(), async (any, isJson) => {
        const bot = { name: 'A', instructions: literalText(any) };
        const file = { version: 1, tenants: { aurora: { name: 'Aurora', bots: { a: bot } } } };
        const folder = folderOf(isJson ? { 'a.json': JSON.stringify(file) } : { 'a.yaml': stringify(file) });
        const read = await readIn(folder, { env: { HOME: '/home/ana' }, var: [{ name: 'x', value: 'X' }] });
        expect(read.problems).toEqual([]);
        expect(first(read)?.bots[0]?.fields.instructions?.value).toBe(any);
      }),
      { numRuns: 60 },
    );
  });

  it('from a file or a variable is used unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (any) => {
        const folder = folderOf({
          'a.yaml': tenantWith({ instructions_file: 'a.md', description: '<${var:x}>' }),
          'a.md': any,
        });
        const value = any.replaceAll(/(env|file|var):/g, '$1');
        const read = await readIn(folder, { var: [{ name: 'x', value }] });
        expect(read.problems).toEqual([]);
        const bot = first(read)?.bots[0]?.fields;
        expect(bot?.instructions?.value).toBe(any);
        expect(bot?.description?.value).toBe(`<${value}>`);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a variable', () => {
  const refused = (value: string, given = {}): Promise<readonly string[]> =>
    problemsIn(folderOf({ 'a.yaml': tenantWith({ description: value }) }), given);

  it('of the environment or of a file is secret, alone and inside a text', async () => {
    const folder = folderOf({
      'a.yaml': tenantWith({ description: 'Bearer ${env:TOKEN}', instructions: '${file:keys/one}' }),
      'keys/one': 'canary-of-a-file\n',
    });
    const { desired } = await readIn(folder, { env: { TOKEN: 'canary-of-env\r\n' } });
    const fields = desired.tenants[0]?.bots[0]?.fields;
    expect(fields?.description?.isSecret).toBe(true);
    expect(revealValue(fields?.description?.value ?? null)).toBe('Bearer canary-of-env');
    expect(revealValue(fields?.instructions?.value ?? null)).toBe('canary-of-a-file');
    expect(JSON.stringify(desired)).not.toContain('canary');
    expect(desired.files.map(({ path }) => path)).toEqual([join(folder, 'a.yaml')]);
  });

  it.each([
    ['${env:GONE}', '${env:GONE}'],
    ['${env:EMPTY}', '${env:EMPTY}'],
    ['${var:regoin}', '${var:region}'],
    ['${evn:HOME}', '${env:HOME}'],
    ['${HOME}', '$${HOME}'],
    ['a ${env:HOME', '$${env:HOME'],
    [mask, 'mask'],
  ])('%s is refused without a value', async (value, says) => {
    const given = { env: { EMPTY: '' }, var: [{ name: 'region', value: 'south' }] };
    expect(await refused(value, given)).toEqual([expect.stringMatching(/^a\.yaml:8:\d+: /)]);
    expect((await refused(value, given))[0]).toContain(says);
  });

  it('whose value contains another variable is refused, since that would be sent literally', async () => {
    const folder = folderOf({
      'a.yaml': tenantWith({ description: 'In ${var:place}' }),
      'vars.yaml': 'place: "${var:city}"\ncity: Lisbon\n',
    });
    expect(await problemsIn(folder, { vars: join(folder, 'vars.yaml') })).toEqual([
      expect.stringContaining(
        'The value of ${var:place} contains ${var:city}, which would be sent literally',
      ),
    ]);
  });

  it('that is secret is refused in names and enumerations', async () => {
    const folder = folderOf({
      'a.yaml':
        'version: 1\ntenants:\n  aurora: { name: "${env:A}", quotas: { bots: "${env:N}" }, bots: { a: { name: A, role: "${env:A}" } } }\n',
    });
    const problems = await problemsIn(folder, { env: { A: 'canary', N: '3' } });
    expect(problems.map((one) => one.replace(/^a\.yaml:3:\d+: /, ''))).toEqual(
      ['aurora.name', 'aurora.quotas.bots', 'aurora.bots.a.role'].map(
        (field) => `${field} can't be a secret: use \${var:…} instead of \${env:…} or \${file:…}.`,
      ),
    );
  });

  it('that is secret and invalid is reported without its value', async () => {
    const folder = folderOf({
      'a.yaml':
        'version: 1\ntenants:\n  aurora: { name: A, administrator: { name: Ana, email: "${env:MAIL}", phone: "${env:PHONE}" } }\n',
    });
    const problems = await problemsIn(folder, { env: { MAIL: 'canary', PHONE: 'canary' } });
    expect(problems.map((one) => one.slice(one.indexOf('aurora')))).toEqual([
      'aurora.administrator.email must be an e-mail address.',
      'aurora.administrator.phone must be an international phone number such as +55 11 99999-0000.',
    ]);
  });

  it('that is an ambiguous phone number is reported without it', async () => {
    const folder = folderOf({
      'a.yaml':
        'version: 1\ntenants:\n  aurora: { name: A, administrator: { name: Ana, email: a@b.example, phone: "${env:PHONE}" } }\n',
    });
    const problems = await problemsIn(folder, { env: { PHONE: '+55 (011) 98888-7777' } });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('aurora.administrator.phone must be an international phone number');
    expect(problems[0]).not.toContain('8888');
  });

  it('becomes the type of its field, and keeps its exact text', async () => {
    const folder = folderOf({
      'a.yaml':
        'version: 1\ntenants:\n  aurora:\n    name: ${var:code}\n    paying: ${var:paying}\n    quotas: { bots: "${var:bots}" }\n' +
        '    administrator: { name: Ana, email: ana@aurora.example, phone: "${var:phone}" }\n',
      'vars/prod.yaml': 'code: 007\npaying: true\nbots: 3\nphone: +5511999990000\n',
    });
    const { desired, problems } = await readIn(folder, {
      vars: join(folder, 'vars/prod.yaml'),
      var: [{ name: 'bots', value: '5' }],
    });
    expect(problems).toEqual([]);
    expect(desired.tenants[0]).toMatchObject({
      fields: { name: { value: '007' }, paying: { value: true }, 'quotas.bots': { value: 5 } },
      administrator: { phone: { value: '+5511999990000' } },
    });
  });

  it('of a file is one text, a number, or true or false', async () => {
    const folder = folderOf({ 'a.yaml': tenantWith({}), 'vars/prod.yaml': 'a: [b]\nc:\nd: 1\n' });
    const problems = await problemsIn(folder, { vars: join(folder, 'vars/prod.yaml') });
    expect(problems).toEqual([
      'vars/prod.yaml:1:1: a must be text, a number, or true or false.',
      'vars/prod.yaml:2:1: c must be text, a number, or true or false.',
    ]);
  });
});

describe('rows of a table', () => {
  const template =
    'version: 1\ntenants:\n  ${var:key}: { name: "${var:Team name}", quotas: { bots: "${var:bots}" } }\n  fixed: { name: Fixed }\n';
  const withRows = (csv: string): string => folderOf({ 'a.yaml': template, 'in/tenants.csv': csv });
  const each = (folder: string) => ({ each: join(folder, 'in/tenants.csv') });

  it.each([
    [
      'commas',
      '\uFEFFkey,Team name,bots\r\naurora,"Aurora, Coffee",3\r\n\r\nborealis,"Bore ""alis""\nTwo",4\r\n',
    ],
    ['semicolons', 'key;Team name;bots\naurora;Aurora, Coffee;3\nborealis;"Bore ""alis""\nTwo";4\n'],
    ['tabs', 'key\tTeam name\tbots\naurora\tAurora, Coffee\t3\nborealis\t"Bore ""alis""\nTwo"\t4'],
  ])('between %s create a tenant each from the one whose key contains a column', async (_, csv) => {
    const folder = withRows(csv);
    const { desired, problems } = await readIn(folder, each(folder));
    expect(problems).toEqual([]);
    expect(
      desired.tenants.map(({ key, fields }) => [key, fields.name.value, fields['quotas.bots']?.value]),
    ).toEqual([
      ['aurora', 'Aurora, Coffee', 3],
      ['borealis', 'Bore "alis"\nTwo', 4],
      ['fixed', 'Fixed', undefined],
    ]);
  });

  it('are named if one is wrong, and a mistake in all rows is reported once', async () => {
    const folder = withRows(
      'key,Team name,bots\naurora,Aurora,many\nborealis,Borealis,4\naurora,Other,5\nno key,X,1\n',
    );
    expect(await problemsIn(folder, each(folder))).toEqual([
      'a.yaml:3:3: aurora is declared twice: first by in/tenants.csv, line 2. (in/tenants.csv, line 4)',
      'a.yaml:3:3: "no key" is not a valid key: use letters, digits, and inside also a dot, _ or -. (in/tenants.csv, line 5)',
      'a.yaml:3:53: aurora.quotas.bots must be a number, not "many". (in/tenants.csv, line 2)',
    ]);
    const shared = folderOf({
      'a.yaml': template.replace('quotas', 'qoutas'),
      'in/tenants.csv': 'key,Team name,bots\na,A,1\nb,B,2\nc,C,3\n',
    });
    expect(await problemsIn(shared, each(shared))).toEqual([
      'a.yaml:3:43: a.qoutas is not a field; did you mean quotas? (in/tenants.csv, line 2, and 2 more)',
    ]);
  });

  it('are missing if a key has no value', async () => {
    const folder = withRows('');
    expect((await problemsIn(folder)).map((one) => one.split(': ')[1])).toEqual(['${var:key} has no value']);
  });

  it('require a tenant to create from', async () => {
    const folder = folderOf({ 'a.yaml': tenantWith({}), 'in/tenants.csv': 'key\na\n' });
    expect(await problemsIn(folder, each(folder))).toEqual([
      'a.yaml:1:1: No tenant uses the rows of in/tenants.csv: give a tenant a key with a column in it, such as ${var:key}.',
    ]);
  });

  it.each([
    ['key,bots\n', 'has no rows below its header.'],
    ['key,key\na,b\n', ':1: two columns are named key.'],
    ['key,bots\na\nb,2,3\n', ':2: the row has 1 cell, but the header has 2 columns.'],
    ['key,bots\na,"2\n', 'is not valid CSV: missing or extra quote near line'],
    ['key,bots\na,\uFFFD\n', 'has U+FFFD, which marks a character that was lost at line 2, byte 12.'],
  ])('are refused in a table such as %j', async (csv, says) => {
    const folder = withRows(csv);
    await expect(readIn(folder, each(folder))).rejects.toThrow(says);
  });
});
