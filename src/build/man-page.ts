import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../lib/package-root.ts';
import { manPage } from './man-page/page.ts';

/** Writes the man page that botctl ships. */
async function buildManPage(): Promise<void> {
  const { stdin, stdout, stderr, env } = process;
  const { signal } = new AbortController();
  writeFileSync(
    join(packageRoot(), 'dist', 'botctl.1'),
    await manPage({ stdin, stdout, stderr, env, signal }),
  );
}

void buildManPage();
