import { describe, expect, it } from 'vitest';
import { ValueError } from '../../src/lib/parse.ts';
import { watchSecrets } from '../../src/secrets/secret.ts';
import { campaignDatabase, deskDatabase, passwordlessDatabase } from '../../src/settings/database-name.ts';
import type { ProfileSettings } from '../../src/settings/profile-settings.ts';

const typed = new URL('postgres://typed/x');
const variable = { BOTCTL_DATABASE: 'postgres://variable/x' };
const profile = { database: 'postgres://profile/x' };

interface Named {
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: ProfileSettings | undefined;
  readonly given?: URL;
}

const found = ({ env = {}, settings, given }: Named) => {
  const database = campaignDatabase({ io: { env }, identity: { settings } }, given);
  return database && { url: database.url.href, password: database.password?.reveal() };
};

describe('the database of the desk', () => {
  const desk = (env: Readonly<Record<string, string>>, settings?: ProfileSettings) => {
    const database = deskDatabase({ io: { env }, identity: { settings } });
    return database && { url: database.url.href, password: database.password?.reveal() };
  };
  const settings = { deskDatabase: 'postgres://profile/desk' };

  it('is the database of the option, of the variable, of the profile, or none', () => {
    const env = { BOTCTL_DESK_DATABASE: 'postgres://ana:in-address@variable/desk' };
    expect(deskDatabase({ io: { env }, identity: { settings } }, typed)?.url.href).toBe(typed.href);
    expect(desk(env, settings)).toEqual({ url: 'postgres://ana@variable/desk', password: 'in-address' });
    expect(desk({ PGPASSWORD: 'from-pgpassword' }, settings)).toEqual({
      url: settings.deskDatabase,
      password: 'from-pgpassword',
    });
    expect(desk({})).toBeUndefined();
  });

  it('is not the database of campaigns', () => {
    expect(desk(variable, profile)).toBeUndefined();
    expect(found({ env: { BOTCTL_DESK_DATABASE: 'postgres://variable/desk' }, settings })).toBeUndefined();
  });

  it('is refused, and not repeated, if the variable is invalid', () => {
    expect(() => desk({ BOTCTL_DESK_DATABASE: 'postgres://ana:in-address@host' })).toThrow(
      'BOTCTL_DESK_DATABASE must be the address of a database, such as postgres://user@host:5432/name.',
    );
  });
});

describe('the database of campaigns', () => {
  it.each<readonly [string | undefined, Named]>([
    [typed.href, { given: typed, env: variable, settings: profile }],
    [variable.BOTCTL_DATABASE, { env: variable, settings: profile }],
    [profile.database, { settings: profile, env: { BOTCTL_DATABASE: '' } }],
    [undefined, { settings: {} }],
    [undefined, {}],
  ])('is that of the option, of the variable, of the profile, or none: %s', (url, named) => {
    expect(found(named)?.url).toBe(url);
  });

  it('reads its password from the variable, or else from PGPASSWORD, and never from its address', () => {
    const env = { PGPASSWORD: 'from-pgpassword' };
    for (const BOTCTL_DATABASE of [
      'postgres://ana:in-address@host/x',
      'postgres://ana@host/x?password=in-address',
    ])
      expect(found({ env: { ...env, BOTCTL_DATABASE } })).toEqual({
        url: 'postgres://ana@host/x',
        password: 'in-address',
      });
    expect(found({ env, given: typed })).toEqual({ url: typed.href, password: 'from-pgpassword' });
    expect(found({ env, settings: profile })).toEqual({ url: profile.database, password: 'from-pgpassword' });
    expect(found({ given: typed })?.password).toBeUndefined();
  });

  it('is on the host of PGHOST, unless its address names one', () => {
    const env = { PGHOST: 'db.example' };
    expect(found({ env, given: new URL('postgres:///x') })?.url).toBe('postgres:///x?host=db.example');
    expect(found({ env, given: typed })?.url).toBe(typed.href);
  });

  it('is protected according to PGSSLMODE, unless its address decides', () => {
    const env = { PGSSLMODE: 'require' };
    expect(found({ env, settings: profile })?.url).toBe(`${profile.database}?sslmode=require`);
    const given = new URL('postgres://typed/x?sslmode=disable');
    expect(found({ env, given })?.url).toBe(given.href);
  });

  it('is refused, and not repeated, if the variable is invalid', () => {
    for (const BOTCTL_DATABASE of ['mysql://host/x', 'postgres://ana:in-address@host'])
      expect(() => found({ env: { BOTCTL_DATABASE }, settings: profile })).toThrow(
        'BOTCTL_DATABASE must be the address of a database, such as postgres://user@host:5432/name.',
      );
  });

  it('is masked from then on with its password, which no command line may contain', () => {
    const learned: string[] = [];
    const unwatch = watchSecrets((value) => learned.push(value));
    try {
      expect(() => passwordlessDatabase('BOTCTL_DATABASE')('postgres://ana:on-line@host/x')).toThrow(
        ValueError,
      );
      found({ env: { BOTCTL_DATABASE: 'postgres://ana:in-address@host/x' } });
    } finally {
      unwatch();
    }
    expect(learned).toEqual(['on-line', 'in-address']);
  });
});
