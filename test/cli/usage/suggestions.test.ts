import { expect, it } from 'vitest';
import { botctl } from '../../support/botctl.ts';

it.each([
  ['teams lst', 'botctl teams list?'],
  ['tems list', 'botctl teams list?'],
  ['teams list --pag 2', '--page?'],
  ['teams list --nmae x', '--name?'],
  ['teams list --lim 2', '--limit?'],
  ['teams list --profil prod', '--profile?'],
  ['help exit-code', 'botctl help exit-codes?'],
])('%s suggests %s', async (line, suggested) => {
  const { exitCode, stderr } = await botctl(line.split(' '));
  expect(exitCode).toBe(2);
  expect(stderr.replace(/\s+/g, ' ')).toContain(`Did you mean ${suggested}`);
});

it.each(['teams list --frobnicate', 'frob'])('%s suggests nothing', async (line) => {
  const { exitCode, stderr } = await botctl(line.split(' '));
  expect(exitCode).toBe(2);
  expect(stderr).not.toContain('Did you mean');
});

it('says that an option was removed, and what to do without it', async () => {
  const { exitCode, stderr } = await botctl('docs sync handbook --team Aurora --checksum'.split(' '));
  expect(exitCode).toBe(2);
  expect(stderr).toContain("Unknown option '--checksum'.");
  expect(stderr.replace(/\s+/g, ' ')).toContain('every file is read anyway: leave it out.');
});
