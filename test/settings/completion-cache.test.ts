import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeProfile } from '../../src/cli/profile-changes.ts';
import { createNameCache, type NamedResource } from '../../src/settings/completion-cache.ts';
import { modeOf, profileNamed, settingsIn, temporaryDirectory, unwritableDirectory } from './support.ts';

const service = 'https://api.example.com/prefix';
const bot = (id: string, name: string | undefined): NamedResource => ({ noun: 'bot', id, name });

function see(directory: string, ...sightings: readonly NamedResource[]): void {
  const notes = createNameCache(directory).notes(service);
  for (const sighting of sightings) notes.add(sighting);
  notes.save();
}

test('stores the names seen at a service, the newest last, and removes deleted ones', () => {
  const directory = temporaryDirectory();
  see(directory, bot('1', 'One'), bot('2', 'Two'), bot('3', 'Three'));
  see(directory, bot('1', 'One, renamed'), bot('2', undefined));
  const cache = createNameCache(directory);
  expect(cache.list('https://api.example.com', 'bot')).toEqual([
    { id: '3', name: 'Three' },
    { id: '1', name: 'One, renamed' },
  ]);
  expect(cache.list(service, 'team')).toEqual([]);
  expect(cache.list('https://api.example.com:8443', 'bot')).toEqual([]);
});

test('stores the team of an object, and reads earlier entries without it', () => {
  const directory = temporaryDirectory();
  see(directory, bot('1', 'One'));
  writeFileSync(
    join(directory, 'names', 'https%3A%2F%2Fapi.example.com', 'bot.json'),
    '[["1","One"],["2","Two","$(id)"]]',
  );
  see(directory, { ...bot('3', 'Three'), teamId: 'team-1' });
  expect(createNameCache(directory).list(service, 'bot')).toEqual([
    { id: '1', name: 'One' },
    { id: '2', name: 'Two' },
    { id: '3', name: 'Three', teamId: 'team-1' },
  ]);
});

test('stores it privately, and leaves no other files', () => {
  const directory = temporaryDirectory();
  see(directory, bot('1', 'One'));
  const ofService = join(directory, 'names', 'https%3A%2F%2Fapi.example.com');
  expect(readdirSync(ofService)).toEqual(['bot.json']);
  expect(modeOf(ofService)).toBe(0o700);
  expect(modeOf(join(ofService, 'bot.json'))).toBe(0o600);
});

test('keeps a thousand of a kind, even if one command sees more', () => {
  const directory = temporaryDirectory();
  see(directory, bot('first', 'First'));
  see(directory, ...Array.from({ length: 2500 }, (_, index) => bot(String(index), `Bot ${index}`)));
  const names = createNameCache(directory).list(service, 'bot');
  expect(names).toHaveLength(1000);
  expect(names.at(-1)).toEqual({ id: '2499', name: 'Bot 2499' });
});

test('stores no id that could be something else, and no endless name', () => {
  const directory = temporaryDirectory();
  see(
    directory,
    bot('$(id)', 'One'),
    bot('-rf', 'Dash'),
    bot('2', 'x'.repeat(201)),
    bot('3', ''),
    bot('4', 'Four'),
  );
  expect(createNameCache(directory).list(service, 'bot')).toEqual([{ id: '4', name: 'Four' }]);
});

test.each(['', 'null', '{"a":1}', '[1,["x"],["y",2]]', '[["1","One"'])('reads nothing from %j', (content) => {
  const directory = temporaryDirectory();
  see(directory, bot('1', 'One'));
  writeFileSync(join(directory, 'names', 'https%3A%2F%2Fapi.example.com', 'bot.json'), content);
  expect(createNameCache(directory).list(service, 'bot')).toEqual([]);
  see(directory, bot('2', 'Two'));
  expect(createNameCache(directory).list(service, 'bot')).toEqual([{ id: '2', name: 'Two' }]);
});

test('reports nothing if nothing can be written', () => {
  const directory = unwritableDirectory();
  see(directory, bot('1', 'One'));
  const cache = createNameCache(directory);
  expect(cache.list(service, 'bot')).toEqual([]);
  cache.forget(service);
});

test('removes a service with its last profile', async () => {
  const directory = temporaryDirectory();
  const settings = settingsIn(directory);
  const [one, other] = [
    profileNamed('one', { baseUrl: service }),
    profileNamed('other', { baseUrl: service }),
  ];
  await settings.profiles.save(one);
  await settings.profiles.save(other);
  see(settings.paths.cache, bot('1', 'One'));
  await removeProfile(settings, one);
  expect(settings.names.list(service, 'bot')).toHaveLength(1);
  await removeProfile(settings, other);
  expect(settings.names.list(service, 'bot')).toEqual([]);
});
