import { describe, expect, it } from 'vitest';
import { type HookClaims, localClaims } from '../../src/hooks/claims.ts';
import type { Delivery, Hook } from '../../src/hooks/hook.ts';
import { Hooks } from '../../src/hooks/hooks.ts';
import { Failure } from '../../src/lib/errors.ts';
import { changeOf, hookContext } from './support.ts';

/** Returns a hook whose runs end when the test ends them. */
function slowHook(kind: Hook['kind'] = 'exec') {
  const begun: string[] = [];
  const ended: string[] = [];
  const waiting: { readonly device: string; end(problem?: string): void }[] = [];
  let most = 0;
  const hook: Hook = {
    kind,
    name: 'night',
    label: 'notify.sh',
    close: async () => void ended.push('closed'),
    deliver: ({ device, body }: Delivery, signal) =>
      new Promise((resolve) => {
        const { state } = JSON.parse(body);
        begun.push(`${device} ${state}`);
        const end = (problem?: string): void => {
          signal.removeEventListener('abort', stop);
          waiting.splice(waiting.indexOf(run), 1);
          ended.push(`${device} ${state}`);
          resolve(problem);
        };
        const stop = (): void => end('the watch ended, so it was ended too');
        const run = { device, end };
        waiting.push(run);
        most = Math.max(most, waiting.length);
        signal.addEventListener('abort', stop);
      }),
  };
  return { hook, begun, ended, waiting, most: () => most };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Ends the running hooks one after the other, until none is started any more. */
async function endAll({ waiting }: ReturnType<typeof slowHook>): Promise<void> {
  for (await settled(); waiting.length > 0; await settled()) waiting[0]?.end();
}

describe('the hooks of a watch', () => {
  it('run one at a time for a device, in order, and a few devices at once', async () => {
    const { context, warnings } = hookContext();
    const slow = slowHook();
    const hooks = new Hooks([slow.hook], localClaims, context);
    for (const state of ['stopped', 'ready', 'unlinked'])
      for (const device of ['a', 'b', 'c', 'd', 'e', 'f']) hooks.fire(changeOf(device, { state }));
    await settled();
    expect(slow.begun).toEqual(['a stopped', 'b stopped', 'c stopped', 'd stopped']);
    slow.waiting[0]?.end();
    await settled();
    // The device that has waited longest, not the next change of the same one.
    expect(slow.begun.at(-1)).toBe('e stopped');
    await endAll(slow);
    await hooks.close({ isInterrupted: false, urgent: undefined });
    expect(slow.most()).toBe(4);
    const order = (device: string) => slow.begun.filter((run) => run.startsWith(device));
    expect(order('a')).toEqual(['a stopped', 'a ready', 'a unlinked']);
    expect(slow.ended).toHaveLength(19);
    expect(slow.ended.at(-1)).toBe('closed');
    expect(warnings).toEqual([]);
  });

  it('of two kinds do not wait for each other', async () => {
    const { context } = hookContext();
    const [one, other] = [slowHook(), slowHook('webhook')];
    const hooks = new Hooks([one.hook, other.hook], localClaims, context);
    hooks.fire(changeOf('a'));
    await settled();
    expect([one.begun, other.begun]).toEqual([['a stopped'], ['a stopped']]);
    await Promise.all([endAll(one), endAll(other)]);
    await hooks.close({ isInterrupted: false, urgent: undefined });
  });

  it('warn of a failure and continue', async () => {
    const { context, warnings } = hookContext();
    const slow = slowHook();
    const hooks = new Hooks([slow.hook], localClaims, context);
    hooks.fire(changeOf('a'));
    hooks.fire(changeOf('a', { state: 'ready' }));
    await settled();
    slow.waiting[0]?.end('it ended with exit code 3');
    await endAll(slow);
    expect(slow.begun).toEqual(['a stopped', 'a ready']);
    expect(warnings).toEqual([expect.stringMatching(/notify\.sh.*\ba\b.*exit code 3/)]);
  });

  it('drop the oldest changes of a device whose hook always hangs', async () => {
    const { context, warnings } = hookContext();
    const slow = slowHook();
    const hooks = new Hooks([slow.hook], localClaims, context);
    for (let at = 0; at < 30; at += 1) hooks.fire(changeOf('a', { state: `s${at}` }));
    await settled();
    await endAll(slow);
    expect(slow.begun).toHaveLength(21);
    expect(slow.begun.slice(0, 2)).toEqual(['a s0', 'a s10']);
    expect(warnings[0]).toMatch(/notify\.sh.*1 change/);
    expect(warnings).toHaveLength(9);
  });
});

describe('the end of a watch', () => {
  it('waits for running hooks, and reports that', async () => {
    const { context, notes, warnings } = hookContext();
    const slow = slowHook();
    const hooks = new Hooks([slow.hook], localClaims, context);
    hooks.fire(changeOf('a'));
    hooks.fire(changeOf('a', { state: 'ready' }));
    const closing = hooks.close({ isInterrupted: false, urgent: undefined });
    await endAll(slow);
    await closing;
    expect(slow.ended).toEqual(['a stopped', 'a ready', 'closed']);
    expect([notes, warnings]).toEqual([[expect.stringContaining('2 hooks')], []]);
  });

  it('ends hooks that take too long after an interruption, and at once after a second signal', async () => {
    const { context, notes, warnings } = hookContext();
    const slow = slowHook();
    const hooks = new Hooks([slow.hook], localClaims, context);
    hooks.fire(changeOf('a'));
    hooks.fire(changeOf('a', { state: 'ready' }));
    await settled();
    const second = new AbortController();
    const closing = hooks.close({ isInterrupted: true, urgent: second.signal });
    second.abort();
    await closing;
    expect(slow.begun).toEqual(['a stopped']);
    expect(notes).toEqual([expect.stringMatching(/5 s.*2 hooks.*Ctrl-C/)]);
    expect(warnings).toEqual([expect.stringContaining('1 change'), expect.stringContaining('was ended too')]);
  });
});

describe('claims', () => {
  it('of another watcher keep a hook from running', async () => {
    const slow = slowHook();
    const hooks = new Hooks(
      [slow.hook],
      { claim: async ({ change }) => change.state === 'ready' },
      hookContext().context,
    );
    hooks.fire(changeOf('a'));
    hooks.fire(changeOf('a', { state: 'ready' }));
    await endAll(slow);
    expect(slow.begun).toEqual(['a ready']);
  });

  it('that fail keep a hook from running', async () => {
    const { context, warnings } = hookContext();
    const slow = slowHook();
    const away = new Failure('network', 'The database does not answer.');
    const claims: HookClaims = {
      claim: ({ change }) => (change.state === 'ready' ? Promise.reject(away) : Promise.resolve(true)),
    };
    const hooks = new Hooks([slow.hook], claims, context);
    hooks.fire(changeOf('a', { state: 'ready' }));
    hooks.fire(changeOf('a'));
    await endAll(slow);
    await hooks.close({ isInterrupted: false, urgent: undefined });
    expect(slow.begun).toEqual(['a stopped']);
    expect(warnings).toEqual([expect.stringContaining('The database does not answer')]);
  });
});
