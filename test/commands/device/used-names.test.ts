import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { homeFor, reception } from './support.ts';

const sandbox = useSandbox({ phone: 'manual' });

const send = (device: string) => ['send', device, '+5511988887777', 'Hello'];

/** Creates two devices; then another machine gives the second one the name of the first. */
async function renamed() {
  const env = homeFor(sandbox);
  const id = await reception(sandbox, env);
  const make = ['device', 'create', '--bot', 'Sales', '--name', 'Lobby', '--discard-token', '-o', 'id'];
  const other = (await botctl(make, { env })).stdout.trim();
  const { stdout } = await botctl(['device', 'export'], { env });
  const names = new Map([
    [id, 'Front'],
    [other, 'Reception'],
  ]);
  const exported = JSON.parse(stdout).map((device: { id: string }) => ({
    ...device,
    name: names.get(device.id),
    noted_at: '2099-01-01T00:00:00Z',
  }));
  const file = join(temporaryDirectory(), 'devices.json');
  writeFileSync(file, JSON.stringify(exported));
  const bring = () => botctl(['device', 'import', file], { env });
  return { env, id, other, bring };
}

describe('a name that now belongs to another device than the one this machine last used', () => {
  it('is refused by each command without a terminal, with --yes too, until an id is given', async () => {
    const { env, id, other, bring } = await renamed();
    expect((await botctl(['device', 'status', 'Reception'], { env })).exitCode).toBe(0);
    await bring();
    for (const line of [
      send('Reception'),
      ...['connect', 'disconnect', 'repair', 'status', 'watch', 'forget'].map((verb) => [
        ...['device', verb, 'Reception'],
        ...(verb === 'watch' ? ['--timeout', '0s'] : []),
      ]),
    ]) {
      const ran = await botctl([...line, '--yes', '--debug', '--error-format', 'json'], { env });
      expect(ran, `${line.join(' ')}\n${ran.stderr}`).toMatchObject({ exitCode: 2, stdout: '' });
      const { error } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '');
      expect(error).toMatchObject({
        code: 'AMBIGUOUS',
        next: [other, id].map((one) => ['botctl', 'device', 'status', one]),
      });
      expect(error.message).toContain(`It now means ${other}, and meant ${id} when this machine used it`);
      expect(error.hint).toContain('now named Front');
      expect(ran.stderr).not.toContain('/v1/devices');
    }
    expect((await botctl(['device', 'status', '--all'], { env })).exitCode).toBe(0);
    expect((await botctl(['device', 'status', 'Reception'], { env })).exitCode).toBe(2);
    expect((await botctl(['device', 'status', other], { env })).exitCode).toBe(0);
    const answered = await botctl(['device', 'status', 'Reception', '-o', 'json'], { env });
    expect(JSON.parse(answered.stdout)).toMatchObject({ device_id: other });
  });

  it('is a choice on a terminal, and the chosen device is used', async () => {
    const { env, id, other, bring } = await renamed();
    await botctl(['device', 'status', 'Reception'], { env });
    await bring();
    const why = '"Reception" now means another device. Which one?';
    const choose = (answer: string) =>
      botctl(['device', 'status', 'Reception', '-o', 'json'], {
        ...{ env, terminal: true },
        answers: { [why]: answer },
      });
    const earlier = await choose(id);
    expect(earlier.exitCode, earlier.stderr).toBe(0);
    expect(JSON.parse(earlier.stdout)).toMatchObject({ device_id: id });
    expect(JSON.parse((await choose(other)).stdout)).toMatchObject({ device_id: other });
    const asked = await botctl(['device', 'status', 'Reception'], { env, terminal: true });
    expect(asked.stderr).not.toContain('Which one?');
  });

  it('is not asked about if it was not used before, or if this machine changed it', async () => {
    const { env, id, other, bring } = await renamed();
    // This machine's creates count as uses.
    writeFileSync(join(env.BOTCTL_CONFIG_DIR ?? '', 'data', 'used-names.ndjson'), '{"broken\n[]\n7\n');
    await bring();
    const first = await botctl(['device', 'status', 'Reception', '-o', 'json'], { env });
    expect(JSON.parse(first.stdout)).toMatchObject({ device_id: other });
    await botctl(['device', 'forget', other, '--yes'], { env });
    await botctl(['device', 'add', id, '--name', 'Reception'], { env });
    const own = await botctl(['device', 'status', 'Reception', '-o', 'json'], { env });
    expect(JSON.parse(own.stdout)).toMatchObject({ device_id: id });
    const uses = readFileSync(join(env.BOTCTL_CONFIG_DIR ?? '', 'data', 'used-names.ndjson'), 'utf8');
    expect(uses.split('\n').length).toBeLessThan(12);
  });

  it('reports what happened to the device if no other one has the name', async () => {
    const { env, other, bring } = await renamed();
    await bring();
    const ran = await botctl(['device', 'status', 'Lobby'], { env });
    expect(ran.exitCode).toBe(5);
    const fate = `It was the name of device ${other}, now named Reception.`;
    expect(ran.stderr).toContain(fate);
    expect(ran.stderr.match(/It was the name of/g)).toHaveLength(1);
    // Each of several names has its own message.
    const several = await botctl(['device', 'status', 'Reception', 'Lobby', '-o', 'json'], { env });
    const rows = JSON.parse(several.stdout);
    expect(rows[1].verdict).toContain(fate);
    expect(several.stderr).toContain(fate);
  });
});
