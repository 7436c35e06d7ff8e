/** Items per page that the API allows at most (specification, Limits). */
export const largestPage = 100;

/**
 * The members of a list's query that a service may call by other names (the specification withholds them),
 * as the options of botctl call them.
 */
export const queryMembers = ['page', 'limit', 'name', 'paying', 'team', 'type'] as const;

export type QueryMember = (typeof queryMembers)[number];

/** The members of a list's query that lists can go without: all that comes then is what the service gives by itself. */
export const pagingMembers = ['page', 'limit'] as const;

export type PagingMember = (typeof pagingMembers)[number];
