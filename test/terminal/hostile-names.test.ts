import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toYaml } from '../../src/output/yaml.ts';
import { withoutOwnSequences } from '../every-command/checks.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { springCampaign } from '../support/campaign.ts';
import { storeAt } from '../support/campaign-stores.ts';
import { completed } from '../support/completed.ts';
import { booksIn } from '../support/device-books.ts';
import { openDirect } from '../support/direct.ts';
import { useSandbox } from '../support/sandbox.ts';
import { createCampaign } from '../support/stored-campaign.ts';
import { anyText, hostile, presented } from './support.ts';

// External texts that are used as names: of a column, a member, a key, a label.

/** Characters that a terminal executes or that reorder text, except tabs and line breaks. */
const obeyed = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

function expectHarmless(text: string, what?: string): void {
  const rest = withoutOwnSequences(text).replaceAll('\r\n', '\n');
  const at = rest.search(obeyed);
  expect(at < 0 ? '' : JSON.stringify(rest.slice(Math.max(at - 40, 0), at + 40)), what).toBe('');
}

const many = { numRuns: 60 };
const formats = ['json', 'ndjson', 'csv', 'tsv', 'yaml'] as const;

describe('any name of a member', () => {
  const record = fc.dictionary(
    anyText,
    fc.oneof(anyText, fc.record({ a: anyText }), fc.array(fc.dictionary(anyText, anyText), { maxLength: 2 })),
    {
      minKeys: 1,
      maxKeys: 4,
      noNullPrototype: true,
    },
  );

  it('is safe as a column, a label, a heading and a key, in every format, on a terminal and in a pipe', async () => {
    await fc.assert(
      fc.asyncProperty(record, fc.integer({ min: 30, max: 120 }), async (row, columns) => {
        const fields = Object.keys(row).map((name) => ({ name }));
        for (const at of [columns, undefined]) {
          for (const output of [undefined, ...formats]) {
            const way = { columns: at, output, header: true };
            const list = await presented([row], { kind: 'list', fields }, way);
            const one = await presented(row, { kind: 'record', fields }, way);
            for (const { text } of [list, one]) expectHarmless(text, `${at} ${output}`);
          }
        }
      }),
      many,
    );
  });

  it('is safe in the changes of an update', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyText, async (field, value) => {
        const { drawChanges } = await import('../../src/output/field-changes.ts');
        const paint = { tone: (_: unknown, text: string) => text, heading: (text: string) => text };
        const context = {
          unicode: true,
          paint,
          redact: (text: string) => text,
          columns: 80,
          now: 0,
          service: {},
        };
        expectHarmless(await drawChanges([{ field, from: value, to: value }], context));
      }),
      many,
    );
  });
});

describe('a hostile name on this machine', () => {
  const sandbox = useSandbox();
  const service = openDirect(sandbox);

  const { clipboard, clipboardUnfinished: unfinished, c1, deviceControl, override } = hostile;
  // An unterminated sequence may consume all text after it.
  const names = { ended: `${clipboard}${deviceControl}${c1}${override}\x07\x7f`, unfinished };
  /** Returns the name as a JSON string, which is valid YAML too. */
  const quoted = (name: string): string => JSON.stringify(name);

  /** Files with the name, and commands that read them. */
  const places: Readonly<
    Record<
      string,
      (name: string) => {
        readonly files?: Readonly<Record<string, string>>;
        readonly lines: readonly (readonly string[])[];
      }
    >
  > = {
    'a column of a list': (name) => ({
      files: { 'people.csv': `"${name}",phone\nAna,+55 11 98888-7777\nBia,12\n` },
      lines: [
        ['campaigns', 'create', 'x', '--recipients', 'people.csv', '--device', 'none', '--message', 'Hi'],
        [
          'campaigns',
          'create',
          'x',
          '--recipients',
          'people.csv',
          '--device',
          'none',
          '--message',
          '{{ nam }}',
        ],
        [
          'campaigns',
          'create',
          'x',
          '--recipients',
          'people.csv',
          '--device',
          'none',
          '--to-column',
          'number',
          '--message',
          'x',
        ],
        ['campaigns', 'add', 'spring', '--recipients', 'people.csv'],
        ['optouts', 'import', 'people.csv'],
        ['docs', 'upload', 'people.csv', '--team', 'Aurora'],
      ],
    }),
    'a column of a campaign': () => ({
      lines: [
        ['campaigns', 'results', 'spring'],
        ['campaigns', 'list'],
        ['campaigns', 'show', 'spring'],
        ['campaigns', 'results', 'spring', '--fields', 'nothing'],
        ['campaigns', 'run', 'spring', '--yes'],
      ],
    }),
    'a column of a template': (name) => ({
      files: {
        'm.txt': `Hi {{ ["${name}"] }} {{ ${name} }}`,
        'people.csv': 'name,phone\nAna,+55 11 98888-7777\n',
      },
      lines: [
        [
          'campaigns',
          'create',
          'x',
          '--recipients',
          'people.csv',
          '--device',
          'none',
          '--message-file',
          'm.txt',
        ],
      ],
    }),
    'a key of a bot file': (name) => ({
      files: {
        'bot.yaml': `role: sales\n${quoted(name)}: x\nactions: [{ ${quoted(name)}: y, name: a, method: GET, endpoint: "http://a.example", headers: { ${quoted(name)}: z } }]\n`,
      },
      lines: [
        ['bots', 'update', 'Front desk', '--file', 'bot.yaml', '--yes'],
        ['bots', 'diff', 'Front desk', '--file', 'bot.yaml'],
      ],
    }),
    'a key of a tenant file': (name) => ({
      files: {
        'tenants/a.yaml': `version: 1\ntenants:\n  ${quoted(name)}: { ${quoted(name)}: x, name: ${quoted(name)}, plan_name: pro, bots: { ${quoted(name)}: { name: "\${env:${name.replace(/[\x00-\x1f"\\]/g, '')}}", ${quoted(name)}: 1 } } }\n`,
      },
      lines: [
        ['tenants', 'validate', 'tenants'],
        ['tenants', 'plan', 'tenants'],
        ['tenants', 'plan', 'tenants', '--markdown'],
        ['tenants', 'show', 'tenants'],
        ['tenants', 'apply', 'tenants', '--yes'],
      ],
    }),
    'a file': (name) => ({
      files: {
        [`docs/${name.replaceAll('/', '')}.txt`]: 'soup\n',
        [`docs/${name.replaceAll('/', '')}.exe`]: 'x',
      },
      lines: [
        ['docs', 'upload', `docs/${name.replaceAll('/', '')}.txt`, '--team', 'Aurora'],
        ['docs', 'count', `docs/${name.replaceAll('/', '')}.txt`],
        ['docs', 'sync', 'docs', '--team', 'Aurora', '--yes'],
        ['docs', 'sync', 'docs', '--team', 'Aurora', '--check'],
      ],
    }),
    'a profile': (name) => ({
      files: {
        'config/config.json': JSON.stringify({
          current: name,
          profiles: {
            [name]: { base_url: 'https://a.example', key_id: name, key_secret: 'secret-of-it', [name]: name },
          },
        }),
      },
      lines: [
        ['profiles', 'list'],
        ['profiles', 'show'],
        ['whoami'],
        ['doctor'],
        ['teams', 'list', '--profile', 'x'],
      ],
    }),
    'an option': (name) => ({
      lines: [
        ['teams', 'list', '--where', `.${name}=x`],
        ['teams', 'list', '--sort', name],
        ['teams', 'list', '--fields', `id,.${name}`, '--header'],
        ['teams', 'get', 'Aurora', '--fields', `.${name}`],
        ['teams', 'get', name],
        [name],
        ['teams', `--${name}`],
        ['api', 'GET', '/api/openapi/v1/teams', '--query', `${name}=x`],
        ['teams', 'update', 'Aurora', '--quota', `${name}=1`],
      ],
    }),
  };

  it.each(Object.entries(places))('that is %s reaches no terminal raw', async (_place, placed) => {
    const team = await service.team('Aurora');
    await service.createBot(team, 'Front desk');
    for (const [kind, name] of Object.entries(names)) {
      const { files = {}, lines } = placed(name);
      const work = temporaryDirectory();
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(dirname(join(work, file)), { recursive: true });
        writeFileSync(join(work, file), text, { mode: 0o600 });
      }
      const config = join(work, 'config');
      const { campaign, rows } = springCampaign(sandbox.baseUrl);
      await createCampaign(storeAt(join(config, 'data')), {
        campaign: { ...campaign, columns: [name, 'phone'] },
        rows,
      });
      const identity = 'config/config.json' in files ? {} : sandbox.env;
      const before = process.cwd();
      process.chdir(work);
      try {
        for (const line of lines) {
          for (const terminal of [{ columns: 80, rows: 24 }, undefined]) {
            for (const more of [[], terminal ? ['--debug'] : ['-o', 'json']]) {
              const env = { ...identity, BOTCTL_CONFIG_DIR: config };
              const ran = await botctl([...line, ...more, '--no-input'], {
                env,
                ...(terminal && { terminal }),
              });
              const what = `${kind}: ${JSON.stringify([...line, ...more])} ${terminal !== undefined}`;
              expect(ran.exitCode, `${what} ${ran.stderr}`).not.toBe(1);
              // A response body is written byte for byte to a pipe.
              if (line[0] !== 'api' || terminal) expectHarmless(ran.stdout, `stdout of ${what}`);
              expectHarmless(ran.stderr, `stderr of ${what}`);
            }
          }
        }
      } finally {
        process.chdir(before);
      }
    }
  });

  it('is not offered to a shell', async () => {
    for (const name of Object.values(names)) {
      const config = temporaryDirectory();
      const env = {
        BOTCTL_CONFIG_DIR: config,
        BOTCTL_BASE_URL: sandbox.baseUrl,
        BOTCTL_KEY_ID: 'k',
        BOTCTL_KEY_SECRET: 'secret-of-it',
      };
      const { campaign, rows } = springCampaign(sandbox.baseUrl, name);
      await createCampaign(storeAt(join(config, 'data')), { campaign, rows }).catch(() => undefined);
      await booksIn(join(config, 'data')).record(sandbox.baseUrl, {
        id: name,
        name,
        seenAt: '2026-01-01T00:00:00.000Z',
      });
      for (const words of [['campaigns', 'show'], ['device', 'status'], ['--profile'], ['teams', 'get']])
        expectHarmless((await completed([...words, ''], env)).join('\n'), words.join(' '));
    }
  });

  it('is escaped as a key of YAML', () => {
    fc.assert(
      fc.property(anyText, (name) => expectHarmless(toYaml({ [name]: { [name]: [name] } }))),
      many,
    );
  });
});
