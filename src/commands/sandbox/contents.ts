import { groupedNumber } from '../../lib/text/numbers.ts';
import type { SandboxState } from '../../sandbox/control/protocol.ts';

/** Returns a sandbox's numbers of rows in words: `1 team, 2 bots`. */
export function contents({ teams, bots, documents, devices, messages }: SandboxState): string {
  const held = Object.entries({
    team: teams,
    bot: bots,
    document: documents,
    device: devices,
    message: messages,
  })
    .filter(([, number]) => number > 0)
    .map(([noun, number]) => `${groupedNumber(number)} ${noun}${number === 1 ? '' : 's'}`);
  return held.length === 0 ? 'keys alone' : held.join(', ');
}
