import { type Choice, known } from '../choice.ts';

/** Headers that tell the time, which request it was, and limits. */
export const headers: Choice = {
  name: 'headers',
  specification: 'not shown',
  async learn(service) {
    if (service.heard.length === 0) await service.list('listTeams');
    const names = new Set(service.heard.flatMap((heard) => [...heard.headers.keys()]));
    const named = (pattern: RegExp): readonly string[] =>
      [...names].filter((name) => pattern.test(name)).sort();
    const value = {
      time: named(/^date$/),
      request_id: named(/(request|correlation|trace)-?id$|^traceparent$|^cf-ray$/),
      limits: named(/rate-?limit|^retry-after$/),
    };
    const told = (some: readonly string[]): string => (some.length === 0 ? 'none' : some.join(', '));
    return known(
      `time: ${told(value.time)}; request id: ${told(value.request_id)}; limits: ${told(value.limits)}`,
      value,
      `Of ${service.heard.length} answers.`,
    );
  },
};
