import { counted } from '../../lib/text/numbers.ts';
import { type Choice, known, shownName } from '../choice.ts';

/** Headers that tell the time, which request it was, and limits. */
export const headers: Choice = {
  name: 'headers',
  specification: 'not shown',
  section: 'headers',
  async learn(service) {
    if (!service.isAnyAnswered) await service.list('listTeams');
    const { names, answers } = service.headers;
    const named = (pattern: RegExp): readonly string[] =>
      names.filter((name) => pattern.test(name) && shownName(name) === name);
    const value = {
      time: named(/^date$/),
      request_id: named(/(request|correlation|trace)-?id$|^traceparent$|^cf-ray$/),
      limits: named(/rate-?limit|^retry-after$/),
    };
    const told = (some: readonly string[]): string => (some.length === 0 ? 'none' : some.join(', '));
    return known(
      `time: ${told(value.time)}; request id: ${told(value.request_id)}; limits: ${told(value.limits)}`,
      value,
      `Of ${counted(answers, 'answer')}.`,
    );
  },
};
