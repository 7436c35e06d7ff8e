import { expect, it } from 'vitest';
import { own } from '../../src/lib/json-object.ts';

it.each(['toString', 'constructor', '__proto__', 'hasOwnProperty'])(
  'own() finds no %s that is inherited',
  (name) => {
    expect(own({ a: 1 }, name)).toBeUndefined();
    expect(own(JSON.parse(`{"${name}": 1}`), name)).toBe(1);
  },
);
