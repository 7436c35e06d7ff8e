import type { Session } from '../cli/context.ts';
import { commandText, type OthersCommand } from '../resources/devices/other-agents.ts';

/** Tells a person that another one connected the device, and may be looking at its code. Returns the argument. */
export function noteOthers(
  { terminal, clock }: Pick<Session, 'terminal' | 'clock'>,
  other: OthersCommand | undefined,
): OthersCommand | undefined {
  if (other) terminal.note(`${commandText(other, clock.now())}.`);
  return other;
}
