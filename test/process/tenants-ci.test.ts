import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { packageRoot } from '../../src/lib/package-root.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import { blocksOf } from '../readme/blocks.ts';
import { openDirect } from '../support/direct.ts';
import { eventually } from '../support/eventually.ts';
import { needing } from '../support/needing.ts';
import { binary } from '../support/process.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

const topic = readFileSync(join(packageRoot(), 'src/cli/help/topics/tenants.md'), 'utf8');
const recipe = (file: string): unknown => parse(blocksOf(topic).find((one) => one.file === file)?.text ?? '');

const lines = z.array(z.string());
const github = z.object({
  jobs: z.record(
    z.string(),
    z.object({ steps: z.array(z.object({ run: z.optional(z.string()), if: z.optional(z.string()) })) }),
  ),
});
const gitlab = z.record(z.string(), z.object({ script: lines, after_script: z.optional(lines) }));

/** The shell commands of a job: its main ones, and those that run even if they failed. */
interface Job {
  readonly script: string;
  readonly always: string;
}

/** Returns the commands of a GitHub job. */
function githubJob(file: string, name: string): Job {
  const steps = z.parse(github, recipe(file)).jobs[name]?.steps ?? [];
  const run = (isAlways: boolean) =>
    steps.flatMap((step) => (step.run !== undefined && (step.if !== undefined) === isAlways ? step.run : []));
  return { script: run(false).join('\n'), always: run(true).join('\n') };
}

/** Reads the jobs plan and apply of each recipe. */
const jobs: Readonly<Record<string, (name: 'plan' | 'apply' | 'drift') => Job>> = {
  GitHub: (name) => githubJob('tenants.github.yaml', name),
  GitLab(name) {
    const job = z.parse(gitlab, recipe('tenants.gitlab.yaml'))[name];
    return { script: job?.script.join('\n') ?? '', always: job?.after_script?.join('\n') ?? '' };
  },
};

const tenant = (bots: number): string => `version: 1
tenants:
  aurora:
    name: Aurora Coffee
    plan_name: starter
    quotas: { bots: ${bots}, documents: 5 }
    administrator: { name: Ana, email: ana@aurora.example, phone: "+5511999990000" }
    documents: { menu: { file: menu.txt } }
    bots: { front: { name: Front desk, documents: [menu] } }
    devices: { reception: { name: Reception, bot: front } }
`;

let place: string;
let env: Record<string, string>;

beforeEach(async () => {
  place = temporaryDirectory();
  for (const folder of ['bin', 'first']) mkdirSync(join(place, folder));
  const stub = (name: string, text: string) =>
    writeFileSync(join(place, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  stub('botctl', `exec "${process.execPath}" "${binary}" "$@"`);
  for (const name of ['gh', 'curl']) stub(name, `printf '%s ' ${name} "$@" >> "${place}/comments"`);
  // The id of the existing comment, once one was created.
  stub('jq', `cat > /dev/null; grep -q 'body=<plan.md' "${place}/comments" && echo 77 || true`);
  const origin = join(place, 'origin.git');
  env = {
    PATH: `${join(place, 'bin')}:${process.env.PATH}`,
    // Not even root can write below a regular file.
    HOME: join(place, 'bin', 'gh', 'home'),
    ...{ LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', CI: 'true' },
    GITHUB_STEP_SUMMARY: join(place, 'summary.md'),
    ...{ BOTCTL_BASE_URL: sandbox.baseUrl, BOTCTL_KEY_ID: sandbox.env.BOTCTL_KEY_ID ?? '' },
    BOTCTL_KEY_SECRET: sandbox.env.BOTCTL_KEY_SECRET ?? '',
    ...{
      PULL_REQUEST: '7',
      ...{ HEAD_SHA: 'head-of-it', CI_COMMIT_SHA: 'head-of-it' },
      CI_DEFAULT_BRANCH: 'main',
      CI_SERVER_HOST: 'git.example',
      CI_PROJECT_PATH: 'ops/tenants',
    },
    ...{
      LOCK_TOKEN: 'token',
      CI_API_V4_URL: 'https://git.example/api/v4',
      CI_PROJECT_ID: '3',
      CI_MERGE_REQUEST_IID: '7',
    },
    GIT_CONFIG_COUNT: '2',
    ...{
      GIT_CONFIG_KEY_0: `url.${origin}.insteadOf`,
      GIT_CONFIG_VALUE_0: 'https://oauth2:token@git.example/ops/tenants.git',
    },
    ...{ GIT_CONFIG_KEY_1: 'init.defaultBranch', GIT_CONFIG_VALUE_1: 'main' },
  };
  mkdirSync(join(place, 'first', 'tenants'));
  writeFileSync(join(place, 'first', 'tenants', 'menu.txt'), 'soup\n');
  writeFileSync(join(place, 'first', 'tenants', 'aurora.yaml'), tenant(1));
  const made = await bash(
    `git init -q --bare ../origin.git; git -C ../origin.git config receive.advertisePushOptions true; git init -q; git remote add origin ../origin.git; ${commit('begin')}`,
    'first',
  );
  expect(made, made.output).toMatchObject({ exitCode: 0 });
});

const commit = (message: string): string =>
  `git add -A; git -c user.name=a -c user.email=a@b.example commit -qm ${message}; git push -q origin HEAD:main`;

/** Runs commands as CIs do: the shell stops at the first failure. */
async function bash(
  script: string,
  folder: string,
  onStart: (cancel: () => void) => Promise<void> = async () => undefined,
) {
  const child = spawn('bash', ['-e', '-c', script], {
    ...{ cwd: join(place, folder), env, detached: true },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, name);
  };
  onTestFinished(() => signal('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  await onStart(() => signal('SIGINT'));
  return { exitCode: await ended, output };
}

let runs = 0;

/** Runs a job in a separate checkout of main. Returns the results of its commands. */
async function run(
  { script, always }: Job,
  onStart?: (cancel: () => void) => Promise<void>,
  artifact?: string,
) {
  const checkout = `checkout-${++runs}`;
  const cloned = await bash(`git clone -q origin.git ${checkout}`, '.');
  expect(cloned, cloned.output).toMatchObject({ exitCode: 0 });
  if (artifact !== undefined) copyFileSync(join(place, artifact), join(place, checkout, basename(artifact)));
  const ran = await bash(script, checkout, onStart);
  const after = await bash(always, checkout);
  expect(after, after.output).toMatchObject({ exitCode: 0 });
  return { ...ran, checkout };
}

const inFirst = async (change: string): Promise<void> => {
  const changed = await bash(`git pull -q origin main; ${change}; ${commit('change')}`, 'first');
  expect(changed, changed.output).toMatchObject({ exitCode: 0 });
};

/** Returns the requests that create or change something. */
const writes = async (seen: Awaited<ReturnType<typeof requestsFromNow>>): Promise<readonly unknown[]> =>
  (await seen())
    .map(({ operation }) => operation)
    .filter((one) => !/^(get|list|createToken)/.test(one ?? 'get'));

const hasGit = ['bash', 'git'].every((program) => spawnSync(program, ['--version']).status === 0);

describe.each(Object.keys(jobs))('the recipe for %s', needing('bash and git', hasGit), (name) => {
  const job = (of: 'plan' | 'apply' | 'drift'): Job => jobs[name]?.(of) ?? { script: '', always: '' };

  it('commits the state file after a failed apply too, from which the next one continues, without a home directory', async () => {
    await callControl(sandbox.control, '/fault/add', {
      target: 'createBot',
      effect: { kind: 'status', status: 400 },
      times: 1,
    });
    const failed = await run(job('apply'));
    expect(failed, failed.output).toMatchObject({ exitCode: 10 });
    const seen = await requestsFromNow(sandbox);
    const applied = await run(job('apply'));
    expect(applied, applied.output).toMatchObject({ exitCode: 0 });
    expect(await writes(seen)).toEqual(['createBot', 'createDevice']);
  });

  it('comments the plan, and applies it once', async () => {
    const planned = await run(job('plan'));
    expect(planned, planned.output).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(place, planned.checkout, 'plan.md'), 'utf8')).toContain(
      '### Tenants: 4 to create',
    );
    expect(readFileSync(join(place, 'comments'), 'utf8')).toContain('plan.md');
    const applied = await run(job('apply'));
    expect(applied, applied.output).toMatchObject({ exitCode: 0 });
    const seen = await requestsFromNow(sandbox);
    const again = await run(job('apply'));
    expect(again, again.output).toMatchObject({ exitCode: 0 });
    expect(again.output).toContain('Nothing to do');
    expect(await writes(seen)).toEqual([]);
    const left = readdirSync(join(place, again.checkout, 'tenants')).sort();
    expect(left).toEqual(['aurora.yaml', 'menu.txt', 'tenants.lock.json']);
  });

  it("fails if the state file can't be pushed, even if the apply succeeded", async () => {
    const refuse = `printf '#!/bin/sh\\nexit 1\\n' > origin.git/hooks/pre-receive; chmod +x origin.git/hooks/pre-receive`;
    expect(await bash(refuse, '.')).toMatchObject({ exitCode: 0 });
    const { script, always } = job('apply');
    const checkout = await bash('git clone -q origin.git lost', '.');
    expect(checkout, checkout.output).toMatchObject({ exitCode: 0 });
    const ran = [await bash(script, 'lost'), await bash(name === 'GitHub' ? always : 'true', 'lost')];
    expect(ran.some(({ exitCode }) => exitCode !== 0)).toBe(true);
    expect(await service.bots()).toHaveLength(1);
  });

  it('comments the problems of the files, and the commit, and updates the comment', async () => {
    await inFirst("sed -i 's/plan_name/plan_nam/' tenants/aurora.yaml");
    for (const round of [1, 2]) {
      const planned = await run(job('plan'));
      expect(planned, `${round}: ${planned.output}`).toMatchObject({ exitCode: 2 });
      const posted = readFileSync(join(place, planned.checkout, 'plan.md'), 'utf8');
      for (const words of ['did you mean plan_name?', 'head-of-it', 'exit code 2'])
        expect(posted).toContain(words);
    }
    const comments = readFileSync(join(place, 'comments'), 'utf8');
    expect(comments).toMatch(name === 'GitHub' ? /--edit-last/ : /--request PUT .*notes\/77/);
  });

  it('finds unapplied changes, and names changes in the service', async () => {
    expect(await run(job('apply'))).toMatchObject({ exitCode: 0 });
    await inFirst("sed -i 's/Front desk/Desk/' tenants/aurora.yaml");
    const unapplied = await run(job('drift'));
    expect(unapplied, unapplied.output).toMatchObject({ exitCode: 11 });
    expect(unapplied.output).not.toContain('Changed in the service');
    const [bot] = z.parse(z.array(z.looseObject({ id: z.string() })), await service.bots());
    await service.call('PATCH', `/bots/${bot?.id}`, { name: 'Changed by hand' });
    const drifted = await run(job('drift'));
    expect(drifted, drifted.output).toMatchObject({ exitCode: 11 });
    expect(drifted.output).toContain('Changed in the service since the last apply');
  });

  it('creates nothing twice after an apply that was cancelled, in another checkout', async () => {
    const seen = await requestsFromNow(sandbox);
    await callControl(sandbox.control, '/fault/add', { target: 'createBot', delay: 600_000 });
    const cancelled = await run(job('apply'), async (cancel) => {
      await eventually(async () => (await writes(seen)).length === 2);
      cancel();
    });
    expect(cancelled.exitCode).not.toBe(0);
    await callControl(sandbox.control, '/fault/clear', {});
    const applied = await run(job('apply'));
    expect(applied, applied.output).toMatchObject({ exitCode: 0 });
    const made = await writes(seen);
    expect(made.filter((one) => one === 'createTeam')).toHaveLength(1);
    expect(await service.bots()).toHaveLength(1);
    const again = await run(job('apply'));
    expect(again.output).toContain('Nothing to do');
  });
});

describe('the recipe with an approval', needing('bash and git', hasGit), () => {
  it('applies a saved plan in another checkout once, and refuses it if anything changed', async () => {
    const plan = githubJob('tenants.reviewed.yaml', 'plan-of-main');
    const { always } = githubJob('tenants.github.yaml', 'apply');
    const apply = { ...githubJob('tenants.reviewed.yaml', 'apply'), always };
    const planned = await run(plan);
    expect(planned, planned.output).toMatchObject({ exitCode: 0 });
    expect(readFileSync(env.GITHUB_STEP_SUMMARY ?? '', 'utf8')).toContain('### Tenants: 4 to create');
    const artifact = join(planned.checkout, 'plan.json');
    await inFirst("sed -i 's/Front desk/Desk/' tenants/aurora.yaml");
    const refused = await run(apply, undefined, artifact);
    expect(refused, refused.output).toMatchObject({ exitCode: 6 });
    expect(await service.bots()).toEqual([]);
    await inFirst("sed -i 's/name: Desk/name: Front desk/' tenants/aurora.yaml");
    const seen = await requestsFromNow(sandbox);
    const applied = await run(apply, undefined, artifact);
    expect(applied, applied.output).toMatchObject({ exitCode: 0 });
    expect(await writes(seen)).toHaveLength(4);
    const again = await run(apply, undefined, artifact);
    expect(again, again.output).toMatchObject({ exitCode: 0 });
    expect(again.output).toContain('has already been applied');
    expect(await writes(seen)).toHaveLength(4);
  });
});
