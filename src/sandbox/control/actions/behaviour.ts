import { behaviourRequest } from '../../faults/behaviour.ts';
import { type Actions, parseJson } from '../action.ts';

/** What the specification leaves open. */
export const behaviourActions: Actions<'/behave'> = {
  async '/behave'({ behaviour }, { body }) {
    await behaviour.choose(parseJson(behaviourRequest, body));
    const { rename, ...choices } = behaviour.choices;
    return { ...choices, rename: rename.map(({ from, to }) => `${from}=${to}`) };
  },
};
