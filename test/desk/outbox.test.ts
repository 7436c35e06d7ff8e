import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { deviceKey } from '../../src/desk/device-book-lines.ts';
import { Outbox, type OutboxRecord } from '../../src/desk/outbox.ts';
import { changesOf } from '../../src/desk/outbox-changes.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const at = '2026-11-29T12:00:00Z';
const refused = { at, because: 'Bruno changed the device meanwhile' };
const record = (members: Partial<OutboxRecord> = {}): OutboxRecord => ({
  kind: 'record',
  id: randomUUID(),
  at,
  seen: 0,
  record: { origin: 'https://a.example', id: 'one', name: 'Old' },
  ...members,
});

describe('an outbox', () => {
  it('keeps a refused change while others are dismissed, and lines of another version', async () => {
    const outbox = new Outbox(temporaryDirectory());
    const [first, later, waiting] = [record({ refused }), record({ refused }), record()];
    await outbox.add(first, later, waiting);
    appendFileSync(outbox.file, '{"kind":"later"}\n{"kind":"later","refused":"in another way"}\n');
    expect(await outbox.dismiss(new Set([first.id]))).toBe(true);
    expect(outbox.entries().map(({ id }) => id)).toEqual([later.id, waiting.id]);
    await outbox.settle(
      { applied: new Set([waiting.id]), refused: new Map(), places: new Map() },
      Date.parse(at),
    );
    expect(outbox.entries().map(({ id }) => id)).toEqual([later.id]);
    expect(outbox.damagedLines()).toEqual([2, 3]);
  });
});

describe('a change in an outbox', () => {
  const device = { origin: 'https://a.example', id: 'one', name: 'New' };
  const known = new Map([[deviceKey(device), device]]);
  it.each([
    [{ ...device, name: 'Old' }, 'rename'],
    [{ ...device, name: 'Old', refusal: { at } }, 'refusal'],
    [{ ...device, name: 'Old', refusal: null }, 'refusal'],
    [{ origin: device.origin, intent: 'a', settled: true }, 'settle'],
    [{ origin: device.origin, intent: 'a', name: 'New' }, 'create'],
    [{ ...device, forgotten_at: at }, 'forget'],
    [{ ...device, id: 'two' }, 'add'],
  ])('is named by what it changes: %j', (members, change) => {
    const [found] = changesOf([record({ record: members })], known);
    expect(found?.change).toBe(change);
    expect(found?.repeat === undefined).toBe(['refusal', 'settle', 'create'].includes(change));
  });
});
