import type { Choice } from './choice.ts';
import { deviceMembers } from './choices/device-members.ts';
import { answerChoices } from './choices/differences.ts';
import { emptyValues } from './choices/empty-values.ts';
import { headers, pagingMembers, unknownId } from './choices/envelopes.ts';
import { filterChoices } from './choices/filters.ts';
import { onlyWrites } from './choices/only-writes.ts';
import { order } from './choices/order.ts';
import { defaultPage, largestPage } from './choices/page-lengths.ts';
import { firstPage, pageNumber } from './choices/page-number.ts';
import { pageSize } from './choices/page-size.ts';
import { totals } from './choices/totals.ts';
import { unknownParameters } from './choices/unknown-parameters.ts';

/**
 * Everything that the specification leaves to the service, each choice after those that it builds on.
 * `botctl help specification` lists the same.
 */
export const choices: readonly Choice[] = [
  pageSize,
  pageNumber,
  firstPage,
  largestPage,
  defaultPage,
  totals,
  unknownParameters,
  ...filterChoices,
  order,
  pagingMembers,
  emptyValues,
  unknownId,
  ...answerChoices,
  deviceMembers,
  headers,
  ...onlyWrites,
];
