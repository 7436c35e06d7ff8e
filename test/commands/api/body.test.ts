import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyOf, checkJson } from '../../../src/commands/api/body.ts';
import { Failure } from '../../../src/lib/errors.ts';
import { temporaryDirectory } from '../../support/botctl.ts';

const settings = (...lines: readonly string[]) =>
  lines.map((line) => {
    const at = line.indexOf('=');
    return { name: line.slice(0, at), value: line.slice(at + 1) };
  });
const { signal } = new AbortController();
const set = async (...lines: readonly string[]): Promise<unknown> =>
  JSON.parse(JSON.stringify(await bodyOf(settings(...lines), [], [], signal)));

describe('--set', () => {
  it('parses JSON values as JSON, and anything else as text', async () => {
    expect(
      await set(
        'a=true',
        'b=12',
        'c=null',
        'd=["x"]',
        'e={"f":1}',
        'g="12"',
        'h=word',
        'i=',
        'j=1.50',
        'k=-2e3',
      ),
    ).toEqual({
      a: true,
      b: 12,
      c: null,
      d: ['x'],
      e: { f: 1 },
      g: '12',
      h: 'word',
      i: '',
      j: 1.5,
      k: -2000,
    });
  });

  it('keeps a number as text if it would change in a round trip', async () => {
    expect(await set('a=12345678901234567890', 'b=007', 'c=+5511999990000', 'd=1e999')).toEqual({
      a: '12345678901234567890',
      b: '007',
      c: '+5511999990000',
      d: '1e999',
    });
    expect(await set('a=9007199254740991')).toEqual({ a: 9007199254740991 });
  });

  it('sets members of objects, and appends to lists', async () => {
    expect(await set('quotas.bots=5', 'quotas.members=2', 'list[]=a', 'list[]=1', 'deep.list[]=x')).toEqual({
      quotas: { bots: 5, members: 2 },
      list: ['a', 1],
      deep: { list: ['x'] },
    });
  });

  it('treats a value that starts with @ as text, even if the file exists', async () => {
    expect(await set('a=@package.json', 'b=@')).toEqual({ a: '@package.json', b: '@' });
  });

  it.each([
    [['a=1', 'a=2']],
    [['a=1', 'a.b=2']],
    [['a.b=1', 'a=2']],
    [['a=1', 'a[]=2']],
    [['a.=1']],
    [['.a=1']],
    [['a..b=1']],
  ])('refuses %j', async (lines) => {
    await expect(set(...lines)).rejects.toThrow(Failure);
  });

  it('accepts any name, including those of prototypes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('__proto__', 'constructor', 'toString', 'a', 'hasOwnProperty'), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.string(),
        async (steps, value) => {
          const body: unknown = JSON.parse(
            JSON.stringify(await bodyOf([], [{ name: steps.join('.'), value }], [], signal)),
          );
          const wanted = steps.reduceRight<unknown>((inner, step) => {
            const object = {};
            Object.defineProperty(object, step, { value: inner, enumerable: true });
            return object;
          }, value);
          expect(JSON.stringify(body)).toBe(JSON.stringify(wanted));
          expect(({} as Record<string, unknown>).a).toBeUndefined();
        },
      ),
    );
  });
});

describe('--set-file', () => {
  it('reads the text of a file, with any content', async () => {
    const file = join(temporaryDirectory(), 'prompt.txt');
    writeFileSync(file, 'true\nlines');
    expect(await bodyOf([], [], settings(`a.b=${file}`), signal)).toEqual({ a: { b: 'true\nlines' } });
    await expect(bodyOf([], [], settings('a=/no/such/file'), signal)).rejects.toThrow(Failure);
  });
});

describe('--set-string', () => {
  it('treats every value as text', async () => {
    const texts = settings('a=true', 'b=@file', 'c.d=12', 'e[]=null');
    expect(JSON.parse(JSON.stringify(await bodyOf([], texts, [], signal)))).toEqual({
      a: 'true',
      b: '@file',
      c: { d: '12' },
      e: ['null'],
    });
  });
});

it('a body is JSON, and is not quoted in the error if it is not', () => {
  expect(checkJson(' {"a" : 1}\n', 'x.json')).toBe(' {"a" : 1}\n');
  expect(() => checkJson('{"key_secret": "abc', 'x.json')).toThrow(/^x\.json is not JSON\.$/);
});
