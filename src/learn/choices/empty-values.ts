import { type JsonObject, own } from '../../lib/json-object.ts';
import { counted } from '../../lib/text/numbers.ts';
import { type Choice, known, shownName, unknown } from '../choice.ts';
import { listNames, lists, sampleOf } from '../lists.ts';

/** How members look that hold nothing. */
export const emptyValues: Choice = {
  name: 'empty values',
  specification: 'vector_id is a string or null; others are not shown',
  section: 'emptyValues',
  async learn(service) {
    const found = { null: new Set<string>(), empty_text: new Set<string>(), left_out: new Set<string>() };
    let count = 0;
    for (const name of listNames) {
      const { rows } = (await sampleOf(service, name)).heard;
      count += rows.length;
      // A member that somebody's data names could be told by this.
      for (const member of new Set(rows.flatMap(Object.keys).filter((one) => shownName(one) === one))) {
        const has = (test: (row: JsonObject) => boolean): boolean => rows.some(test);
        const path = `${lists[name]}.${member}`;
        if (has((row) => own(row, member) === null)) found.null.add(path);
        if (has((row) => own(row, member) === '')) found.empty_text.add(path);
        if (has((row) => !Object.hasOwn(row, member))) found.left_out.add(path);
      }
    }
    const value = Object.fromEntries(Object.entries(found).map(([way, paths]) => [way, [...paths].sort()]));
    const words = Object.entries(value)
      .filter(([, paths]) => paths.length > 0)
      .map(([way, paths]) => `${way.replace('_', ' ')}: ${paths.join(', ')}`);
    if (words.length === 0)
      return unknown(
        `No member of ${counted(count, 'row')} is empty.`,
        'A bot without documents or a description.',
      );
    return known(words.join('; '), value, `Of ${counted(count, 'row')} of lists.`);
  },
};
