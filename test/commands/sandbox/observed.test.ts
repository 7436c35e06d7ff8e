import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/lib/errors.ts';
import { readMetrics, type Sample } from '../../sandbox/prometheus.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { whileRunning } from '../../support/running-sandbox.ts';

const canary = 'botsecret_canary-in-a-path';

describe('sandbox start', () => {
  it('logs each request as JSON and counts it, without any text of callers', async () => {
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home };
    let metrics: readonly Sample[] = [];
    let answer: Response | undefined;
    let elsewhere = 0;
    let said = '';
    const ran = await whileRunning(home, ['--log', 'json', '--metrics', '127.0.0.1:0', '-o', 'json'], {
      reason: new Failure('terminated', 'Terminated.'),
      onError: (text) => {
        said += text;
      },
      act: async () => {
        await botctl(['--profile', 'sandbox', 'teams', 'list'], { env });
        await botctl(['--profile', 'sandbox', 'teams', 'get', '11111111-1111-4111-8111-111111111111'], {
          env,
        });
        await botctl(['--profile', 'sandbox', 'api', 'GET', `/api/openapi/v1/${canary}?token=${canary}`], {
          env,
        });
        const url = /http:\S*\/metrics/.exec(said)?.[0] ?? '';
        answer = await fetch(url);
        metrics = readMetrics(await answer.text());
        elsewhere = (await fetch(url.replace('/metrics', '/'))).status;
      },
    });
    expect(ran).toMatchObject({ exitCode: 0 });
    const lines = ran.stderr
      .trimEnd()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line));
    const requests = lines.filter((line) => 'ms' in line);
    const common = {
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      request_id: expect.stringMatching(/^[\da-f]{12}$/),
      ms: expect.any(Number),
    };
    expect(requests).toEqual([
      { ...common, level: 'info', method: 'POST', path: '/api/openapi/auth/token', status: 200 },
      { ...common, level: 'info', method: 'GET', path: '/api/openapi/v1/teams', status: 200 },
      { ...common, level: 'warn', method: 'GET', path: '/api/openapi/v1/teams/{id}', status: 404 },
      { ...common, level: 'warn', method: 'GET', status: 404 },
    ]);
    expect(ran.stderr).not.toContain('canary');
    expect(ran.stderr).not.toContain(JSON.parse(ran.stdout).key_secret);

    expect(answer?.headers.get('content-type')).toContain('version=0.0.4');
    expect(elsewhere).toBe(404);
    const counted = metrics.filter(({ name }) => name === 'botctl_requests_total');
    expect(counted.map(({ labels, value }) => [labels, value])).toEqual([
      [{ operation: 'createToken', status: '200' }, 1],
      [{ operation: 'listTeams', status: '200' }, 1],
      [{ operation: 'getTeam', status: '404' }, 1],
      [{ operation: 'none', status: '404' }, 1],
    ]);
    const listed = metrics.filter(({ labels }) => labels.operation === 'listTeams');
    expect(listed).toContainEqual(
      expect.objectContaining({ labels: expect.objectContaining({ le: '+Inf' }), value: 1 }),
    );
    expect(metrics).toContainEqual({ name: 'botctl_ready', labels: {}, value: 1 });
    expect(metrics).toContainEqual({ name: 'botctl_devices', labels: { state: 'ready' }, value: 0 });
  });

  it('logs as JSON why it does not start', async () => {
    const home = temporaryDirectory();
    for (const verb of ['start', 'run']) {
      const place = ['--database', 'postgres://127.0.0.1:1/x', '--files', join(home, 'files')];
      const words = verb === 'run' ? ['--', 'true'] : [];
      const line = ['sandbox', verb, '--log', 'json', ...place, ...words];
      const { exitCode, stdout, stderr } = await botctl(line, { env: { BOTCTL_CONFIG_DIR: home } });
      expect([verb, exitCode, stdout]).toEqual([verb, 8, '']);
      expect(JSON.parse(stderr)).toEqual({
        time: expect.any(String),
        level: 'error',
        message: expect.any(String),
      });
    }
  });

  it.each([
    [['--metrics', '9464'], '--metrics'],
    [['--metrics', 'localhost:70000'], '--metrics'],
    [['--log', 'xml'], '--log'],
  ])('refuses %j', async (args, words) => {
    const { exitCode, stderr } = await botctl(['sandbox', 'start', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(words);
  });
});
