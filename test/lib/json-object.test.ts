import { expect, it } from 'vitest';
import { ownMember } from '../../src/lib/json-object.ts';

it.each(['toString', 'constructor', '__proto__', 'hasOwnProperty'])('own() finds no inherited %s', (name) => {
  expect(ownMember({ a: 1 }, name)).toBeUndefined();
  expect(ownMember(JSON.parse(`{"${name}": 1}`), name)).toBe(1);
});
