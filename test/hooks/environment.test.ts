import { expect, it } from 'vitest';
import { hookEnvironment } from '../../src/hooks/environment.ts';
import { Redactor } from '../../src/secrets/redactor.ts';

const left = (env: Record<string, string>, secret = 'sk-secret-of-the-key'): readonly string[] => {
  const redactor = new Redactor();
  redactor.learn(secret);
  return Object.keys(hookEnvironment(env, (text) => redactor.text(text)));
};

it('a hook has the environment of botctl except for its own variables and those of PostgreSQL', () => {
  const env = { PATH: '/bin', HOME: '/home/ana', SLACK_URL: 'https://hooks.slack.test/x', EMPTY: '' };
  const taken = { BOTCTL_KEY_ID: 'id', botctl_profile: 'x', PGPASSWORD: 'x', PGHOST: 'db', PGSSLKEY: '/k' };
  expect(left({ ...env, ...taken })).toEqual(Object.keys(env));
});

it('no variable contains a secret that botctl knows, in any encoding', () => {
  const secret = 'sk-secret-of-the-key';
  const env = {
    A: secret,
    B: `Bearer ${secret}`,
    C: Buffer.from(secret).toString('base64'),
    D: encodeURIComponent(`${secret}/`),
    E: JSON.stringify({ key: secret }),
    OTHER: 'sk-other',
  };
  expect(left(env)).toEqual(['OTHER']);
});

it.each([
  ['postgres://ana:pw@db/desk', false],
  ['postgresql://ana:p%40w@db:5432/desk?sslmode=require', false],
  ['postgres://db/desk?user=ana&password=pw', false],
  ['url=postgres://ana:pw@db/desk other=1', false],
  ['mysql://ana:pw@db/desk', false],
  ['mongodb+srv://ana:pw@db/desk', false],
  ['redis://:pw@db', false],
  ['postgres://ana@db/desk', false],
  ['postgresql://db.example/desk?user=ana', false],
  ['host=db.example user=ana password=pw', false],
  ["host=db.example Password = 'p w'", false],
  ['host=db.example user=ana', true],
  ['https://proxy.test:8080', true],
  ['http://user:pass@proxy.test:8080', true],
  ['git@github.test:a/b', true],
])('a variable with %s stays: %s', (value, stays) => {
  expect(left({ DATABASE_URL: value })).toEqual(stays ? ['DATABASE_URL'] : []);
});
