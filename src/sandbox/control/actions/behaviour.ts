import { behaviourRequest } from '../../faults/behaviour.ts';
import type { Renaming } from '../../faults/query-names.ts';
import { type Actions, parseJson } from '../action.ts';

/** What the specification leaves open. */
export const behaviourActions: Actions<'/behave'> = {
  async '/behave'({ behaviour }, { body }) {
    await behaviour.choose(parseJson(behaviourRequest, body));
    const { rename, rename_query, ...choices } = behaviour.choices;
    return { ...choices, rename: shown(rename), rename_query: shown(rename_query) };
  },
};

function shown(renaming: readonly Renaming[]): string[] {
  return renaming.map(({ from, to }) => `${from}=${to}`);
}
