import { expect, test } from 'vitest';
import { resourcesIn } from '../../src/client/named-resources.ts';

test.each([
  ['listTeams', {}, [{ id: '1', name: 'One' }, { id: '2' }, 'odd'], [{ noun: 'team', id: '1', name: 'One' }]],
  [
    'listBots',
    {},
    { bots: [{ id: '1', name: 'One' }], pagination: {} },
    [{ noun: 'bot', id: '1', name: 'One' }],
  ],
  ['listBots', {}, { items: [{ id: '1', name: 'One' }] }, [{ noun: 'bot', id: '1', name: 'One' }]],
  [
    'createTeam',
    {},
    { team: { id: '1', name: 'One' }, user: { id: '2', name: 'Two' } },
    [{ noun: 'team', id: '1', name: 'One' }],
  ],
  ['updateTeam', { id: '1' }, { team: { id: '1', name: 'New' } }, [{ noun: 'team', id: '1', name: 'New' }]],
  [
    'getDocument',
    { id: '1' },
    { id: '1', name: 'menu.txt' },
    [{ noun: 'document', id: '1', name: 'menu.txt' }],
  ],
  ['createKey', {}, { key_id: 'k', name: 'ci', key_secret: 's' }, [{ noun: 'key', id: 'k', name: 'ci' }]],
  [
    'getBot',
    { id: '1' },
    { id: '1', name: 'One', team_id: 'team-1' },
    [{ noun: 'bot', id: '1', name: 'One', teamId: 'team-1' }],
  ],
  ['deleteBot', { id: '1' }, {}, [{ noun: 'bot', id: '1', name: undefined }]],
  ['deleteKey', { keyId: 'k' }, {}, [{ noun: 'key', id: 'k', name: undefined }]],
  ['sendMessage', {}, { id: '1', name: 'x' }, []],
  ['listTeams', {}, null, []],
  ['getTeam', {}, 'text', []],
] as const)('%s reports the objects in its response', (endpoint, path, data, sightings) => {
  expect(resourcesIn(endpoint, path, data)).toEqual(sightings);
});
