import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/botctl.ts';
import { start } from '../../support/process.ts';

it.each([
  ['SIGINT', 0],
  ['SIGTERM', 143],
] as const)('the sandbox process cleans up on %s and ends with %i', async (signal, exitCode) => {
  const data = join(temporaryDirectory(), 'data');
  const running = start(['sandbox', 'start', '--port', '0', '--data', data, '-o', 'json']);
  const row: Record<string, unknown> = JSON.parse(await running.firstLine());
  expect(row).toMatchObject({ pid: running.process.pid, data });
  const answer = await fetch(`${String(row.base_url)}/api/openapi/v1/teams`);
  expect(answer.status).toBe(401);
  running.process.kill(signal);
  expect(await running.ended).toBe(exitCode);
  expect(existsSync(join(data, 'control.json'))).toBe(false);
  expect(existsSync(join(data, 'lock'))).toBe(false);
});
