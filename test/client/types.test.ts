import { describe, expectTypeOf, it } from 'vitest';
import type { Api, CallArguments, Page, Reply, ResourceRow } from '../../src/client/api.ts';

describe('the types of the API', () => {
  it('require path, body and file if the endpoint has them, and only then', () => {
    expectTypeOf<[]>().toExtend<CallArguments<'listTeams'>>();
    expectTypeOf<[{ query: { name: 'x' } }]>().toExtend<CallArguments<'listTeams'>>();
    expectTypeOf<[]>().not.toExtend<CallArguments<'getTeam'>>();
    expectTypeOf<[{ path: { id: string } }]>().toExtend<CallArguments<'getTeam'>>();
    expectTypeOf<[{ path: { keyId: string } }]>().toExtend<CallArguments<'deleteKey'>>();
    expectTypeOf<[{ path: { id: string } }]>().toExtend<CallArguments<'connectDevice'>>();
    expectTypeOf<[{ path: { id: string }; body: object }]>().not.toExtend<CallArguments<'connectDevice'>>();
    expectTypeOf<[{ path: { id: string } }]>().not.toExtend<CallArguments<'updateBot'>>();
    expectTypeOf<[{ body: { team_id: string; chars: number } }]>().not.toExtend<
      CallArguments<'createDocument'>
    >();
  });

  it('leave required members to the service, and contain their types', () => {
    expectTypeOf<[{ body: { name: 'Ana' } }]>().toExtend<CallArguments<'createBot'>>();
    expectTypeOf<[{ body: { temperature: 'hot' } }]>().not.toExtend<CallArguments<'createBot'>>();
    expectTypeOf<[{ body: { team: { quotas: { bots: 1 } } } }]>().toExtend<CallArguments<'createTeam'>>();
  });

  it('return data in the loose form', () => {
    expectTypeOf<Reply<'getTeam'>['data']['id']>().toEqualTypeOf<string>();
    expectTypeOf<Reply<'getTeam'>['data']['name']>().toEqualTypeOf<unknown>();
    expectTypeOf<Reply<'getTeam'>['data']['anything']>().toEqualTypeOf<unknown>();
    expectTypeOf<NonNullable<Reply<'updateDocument'>['meta']>['changes']>().not.toBeAny();
  });

  it('return rows of pages with an id', () => {
    expectTypeOf<ResourceRow['id']>().toEqualTypeOf<string>();
    expectTypeOf<ResourceRow['team_id']>().toEqualTypeOf<unknown>();
    expectTypeOf<ReturnType<Api['pages']>>().toExtend<AsyncIterable<Page>>();
  });
});
