import { randomUUID } from 'node:crypto';
import type { HookContext } from '../../src/hooks/hook.ts';
import type { HookChange } from '../../src/hooks/hook-run.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { remarkText } from '../../src/lib/text/remark.ts';
import { Redactor } from '../../src/secrets/redactor.ts';

/** Returns a context for hooks, and their messages to the user. */
export function hookContext(env: Record<string, string> = {}, clock: Clock = systemClock) {
  const notes: string[] = [];
  const warnings: string[] = [];
  const redactor = new Redactor();
  const context: HookContext = {
    clock,
    io: { env: { PATH: process.env.PATH ?? '', ...env } },
    redact: (text) => redactor.text(text),
    redactStream: () => redactor.stream(),
    reporter: {
      note: (text) => void notes.push(redactor.text(remarkText(text))),
      warn: (text) => void warnings.push(redactor.text(remarkText(text))),
    },
  };
  return { context, notes, warnings, redactor };
}

/** Returns a change of a device, by default from ready to stopped. */
export function changeOf(id: string, more: Partial<HookChange> = {}): HookChange {
  return {
    id: randomUUID(),
    device: { id, name: id, team: 'Acme', label: id },
    state: 'stopped',
    was: 'ready',
    reason: undefined,
    phoneNumber: '+5511912345678',
    at: Date.UTC(2026, 0, 1),
    ...more,
  };
}

/** A signal that is never aborted. */
export const going = new AbortController().signal;
