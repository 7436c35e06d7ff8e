import type { BookedDevice } from '../../desk/device-book.ts';
import { type AskWhich, type Candidate, matchName, type Wording } from '../../lib/match-name.ts';
import { command, remark } from '../../lib/text/remark.ts';

const wording: Wording = {
  noun: 'team',
  place: 'in the device book',
  showCommand: (id) => command('teams', 'get', id),
  hint: remark`The device book stores the name that a team had when its device was added. Use the id of the team, or list the devices: ${command('device', 'list')}`,
};

/**
 * Returns the devices of a team according to the device book.
 * @param text the name or the id of the team
 * @param askWhich undefined if botctl must not ask which team is meant
 * @throws Failure as `matchName`
 */
export async function devicesOfTeam(
  book: readonly BookedDevice[],
  text: string,
  askWhich: AskWhich | undefined,
): Promise<readonly BookedDevice[]> {
  const teams = new Map<string, Candidate>();
  for (const { teamId, teamName } of book) {
    const id = teamKeyOf({ teamId, teamName });
    if (id === undefined) continue;
    // If a team was renamed, the device that was recorded last has the newer name.
    teams.set(id, { id, name: teamName ?? teams.get(id)?.name });
  }
  const { id } = await matchName([...teams.values()], text, wording, askWhich);
  return book.filter((device) => teamKeyOf(device) === id);
}

/** Returns the key of a device's team: its id, or its name if the device book has no id. */
export function teamKeyOf({
  teamId,
  teamName,
}: Pick<BookedDevice, 'teamId' | 'teamName'>): string | undefined {
  return teamId ?? teamName;
}
