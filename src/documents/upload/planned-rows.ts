import { Failure } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { kindByName } from '../kind.ts';
import { type RefusedFile, reasonsText, refusedHint } from './refused-files.ts';
import type { PlannedUpload } from './upload-plan.ts';
import { refusedRow } from './upload-report.ts';
import type { RefusedSource } from './upload-sources.ts';

/** Gives a row of what would be done with each file. */
export function* plannedRows(
  plans: readonly PlannedUpload[],
  refused: readonly RefusedSource[],
  teamId: string,
): Generator<JsonObject> {
  for (const one of refused) yield refusedRow(one, teamId);
  for (const { source, there } of plans) {
    const { typed: given, name, size, chars } = source;
    const row = there ?? { name, type: kindByName(name), size, chars, team_id: teamId };
    yield { ...row, outcome: there ? 'already there' : 'would upload', error: null, code: null, given };
  }
}

/** Returns the failure that a run ends with since some files can't be sent, or undefined if all can. */
export function refusedFailure(count: number, refused: readonly RefusedFile[]): Failure | undefined {
  if (refused.length === 0) return undefined;
  const words = `${refused.length} of ${count + refused.length} files are refused: ${reasonsText(refused)}.`;
  return new Failure(count === 0 ? 'invalidInput' : 'partlyDone', words, { hint: refusedHint(refused) });
}
