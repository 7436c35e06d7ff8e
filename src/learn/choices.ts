import type { Choice } from './choice.ts';
import { defaultPage } from './choices/default-page.ts';
import { deviceMembers } from './choices/device-members.ts';
import { answerChoices } from './choices/differences.ts';
import { emptyValues } from './choices/empty-values.ts';
import { filterChoices } from './choices/filters.ts';
import { firstPage } from './choices/first-page.ts';
import { headers } from './choices/headers.ts';
import { largestPage } from './choices/largest-page.ts';
import { listQuery } from './choices/list-query.ts';
import { onlyWrites } from './choices/only-writes.ts';
import { order } from './choices/order.ts';
import { pageNumber } from './choices/page-number.ts';
import { pageSize } from './choices/page-size.ts';
import { pagingMembers } from './choices/paging-members.ts';
import { totals } from './choices/totals.ts';
import { unknownId } from './choices/unknown-id.ts';
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
  listQuery,
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
