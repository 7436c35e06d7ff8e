import type { DiagnosedState } from '../../resources/devices/device-words.ts';
import type { Tone } from '../../terminal/colour.ts';

const tones: Readonly<Record<DiagnosedState | 'unreachable' | 'not_found', Tone | undefined>> = {
  never_connected: 'quiet',
  stopped: 'quiet',
  starting: 'warning',
  waiting: 'warning',
  connecting: 'warning',
  reconnecting: 'warning',
  ready: 'good',
  unlinked: 'bad',
  taken_over: 'bad',
  blocked: 'bad',
  limited: 'bad',
  contradictory: 'bad',
  unknown: undefined,
  unreachable: 'bad',
  not_found: 'bad',
};

/** The tone of a state, given as the word for it. */
export function stateTone(state: unknown): Tone | undefined {
  return Object.entries(tones).find(([word]) => word === state)?.[1];
}
