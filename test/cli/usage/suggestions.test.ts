import { expect, it } from 'vitest';
import { botctl } from '../../support/botctl.ts';

it.each([
  ['version', 'botctl --version?'],
  ['teams lst', 'botctl teams list?'],
  ['tems list', 'botctl teams list?'],
  ['teams list --pag 2', 'botctl teams list --page 2?'],
  ['teams list --nmae x', 'botctl teams list --name x?'],
  ['teams list --lim 2', 'botctl teams list --limit 2?'],
  ['teams list --profil prod', 'botctl teams list --profile prod?'],
  ['help exit-code', 'botctl help exit-codes?'],
  ['campaigns stop spring', 'botctl campaigns pause spring?'],
  ['campaigns resume spring', 'botctl campaigns run --resume spring?'],
  ['teams plan Aurora pro', 'botctl teams update?'],
  ['get teams', 'botctl teams list?'],
  ['get team Aurora', 'botctl teams get Aurora?'],
  ['sandbox start -d', 'botctl sandbox start --detach?'],
  ['bots update Desk --add-document menu.txt', 'botctl bots documents add Desk menu.txt?'],
  ['bots list --json id,name', 'botctl bots list -o json --fields id,name?'],
  ['bots list --json aurora', 'botctl bots list -o json aurora?'],
  ['bots list --columns id,name', 'botctl bots list --fields id,name?'],
  ['bots list --select id,name', 'botctl bots list --fields id,name?'],
  ['bots list --jq .[].name', 'botctl bots list -o json?'],
  ['docs list --bot Desk', 'botctl bots documents list'],
  ['teams get Aurora --quotas', 'botctl teams overview Aurora?'],
  ['campaigns create may --csv people.csv', 'botctl campaigns create may --recipients people.csv?'],
  ['send Reception --csv people.csv', 'botctl campaigns create --recipients?'],
  ['teams set-plan Aurora pro', 'botctl teams update?'],
  ['bots attach Desk menu.txt', 'botctl bots documents add Desk menu.txt?'],
  ['bots Desk', 'botctl bots get Desk?'],
  ['docs count -f menu.txt', 'botctl docs count menu.txt?'],
  ['send Desk +5511988887777 -f menu.txt', 'botctl send Desk +5511988887777 --message-file menu.txt?'],
  ['device status Desk --expect +4915112345678', 'botctl device watch Desk --expect +4915112345678?'],
  ['tenants plan -f shops', 'botctl tenants plan shops?'],
  ['tenants apply shops --auto-approve', 'botctl tenants apply shops --yes?'],
])('%s suggests %s', async (line, suggested) => {
  const { exitCode, stderr } = await botctl(line.split(' '));
  expect(exitCode).toBe(2);
  expect(stderr.replace(/\s+/g, ' ')).toContain(`Did you mean ${suggested}`);
});

it.each(['teams list --frobnicate', 'frob', 'bots frobnicate Desk quickly'])(
  '%s suggests nothing',
  async (line) => {
    const { exitCode, stderr } = await botctl(line.split(' '));
    expect(exitCode).toBe(2);
    expect(stderr).not.toContain('Did you mean');
  },
);

it.each(['--file', '-f'])('docs upload names its files without %s', async (flag) => {
  const { exitCode, stderr } = await botctl(['docs', 'upload', flag, 'package.json', '--team', 'Aurora']);
  expect(exitCode).toBe(2);
  expect(stderr.replace(/\s+/g, ' ')).toContain('Did you mean botctl docs upload package.json');
});

it('does not suggest banning a team with the name of a folder of tenants', async () => {
  const { stderr } = await botctl(['tenants', 'destroy', 'shops']);
  expect(stderr).toContain('botctl teams update <team> --ban');
  expect(stderr).not.toContain('shops');
});

it('suggests starting a sandbox if its profile is used before it exists', async () => {
  const { exitCode, stderr } = await botctl(['teams', 'list', '--profile', 'sandbox']);
  expect(exitCode).toBe(2);
  expect(stderr.replace(/\s+/g, ' ')).toContain('botctl --profile sandbox sandbox start');
});

it('prints the purpose of a command that takes no arguments', async () => {
  const { exitCode, stderr } = await botctl(['keys', 'rotate', 'ci']);
  expect(exitCode).toBe(2);
  expect(stderr.replace(/\s+/g, ' ')).toContain('replace the API key in use.');
});
