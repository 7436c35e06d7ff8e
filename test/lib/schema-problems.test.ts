import { afterAll, beforeAll, expect, it } from 'vitest';
import { config, locales } from 'zod';
import * as z from 'zod/mini';
import { schemaProblems } from '../../src/lib/schema-problems.ts';

const schema = z.object({
  name: z.string(),
  role: z.enum(['a', 'b']),
  own: z.string().check(z.minLength(2, 'is short')),
});

beforeAll(() => config(locales.en()));
afterAll(() => config({ localeError: undefined }));

it('problems have our messages even if a library has set English messages of zod', () => {
  expect(schemaProblems(schema, { name: 5, role: 'c', own: 'x' }).map(({ message }) => message)).toEqual([
    'must be text, not 5',
    'must be one of a, b, not "c"',
    'is short, not "x"',
  ]);
});
