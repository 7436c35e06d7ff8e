import { expect, it } from 'vitest';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const direct = openDirect(sandbox);

it('prints the hint about omitted columns once per machine', async () => {
  await direct.team('Aurora Coffee');
  const options = {
    env: { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() },
    terminal: { columns: 40, rows: 24 },
  };
  const first = await botctl(['teams', 'list'], options);
  expect(first.stderr).toContain('--fields');
  const second = await botctl(['teams', 'list'], options);
  expect(second).toMatchObject({ exitCode: 0, stdout: first.stdout });
  expect(second.stderr).not.toContain('--fields');
});
