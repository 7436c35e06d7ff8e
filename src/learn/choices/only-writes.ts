import { type Choice, type Section, unknown } from '../choice.ts';

/** What no read shows, and what would. */
const shownBy: readonly (readonly [section: Section, name: string, specification: string, remedy: string])[] =
  [
    [
      'errors',
      'status of UNAUTHORIZED and FORBIDDEN',
      'not shown',
      'A call with a key that may not make it.',
    ],
    ['errors', 'status of INTERNAL_ERROR', 'not shown', 'A failure of the service.'],
    ['requiredFields', 'fields that a create requires', 'not shown', 'A create without them.'],
    ['botDefaults', 'defaults of a bot', 'not shown', 'A bot created with its team and name alone.'],
    ['emails', 'whether e-mail addresses are unique', 'not shown', 'A second team with an address.'],
    ['quotas', 'how quotas are kept', 'not shown', 'A create beyond them.'],
    [
      'sizes',
      'unit of sizes; upload limits',
      'not shown',
      'An upload: botctl learns the unit from what it uploads.',
    ],
    [
      'rates',
      'rate limits',
      'for each key, values not shown',
      'Who runs the service; --max-rps keeps below them.',
    ],
    [
      'deviceStates',
      'states of a device',
      'stopped and started; others are not shown',
      'A device that is paired and loses its phone.',
    ],
    ['deletes', 'deleting a linked bot, or the key in use', 'refused; the code is not shown', 'A delete.'],
  ];

/** Choices that only a write shows, or who runs the service. */
export const onlyWrites: readonly Choice[] = shownBy.map(([section, name, specification, remedy]) => ({
  name,
  specification,
  section,
  learn: () => unknown('No list and no other read shows it.', remedy),
}));
