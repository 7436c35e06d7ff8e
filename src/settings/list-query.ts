/** Maximum items per page of the API (specification, Limits). */
export const largestPage = 100;

/**
 * The list parameters that a service may rename, because the specification leaves their names open. They have the names
 * of botctl's options.
 */
export const queryMembers = ['page', 'limit', 'name', 'paying', 'team', 'type'] as const;

export type QueryMember = (typeof queryMembers)[number];

/** The list parameters that can be omitted. Without them the service returns its default page. */
export const pagingMembers = ['page', 'limit'] as const;

export type PagingMember = (typeof pagingMembers)[number];
