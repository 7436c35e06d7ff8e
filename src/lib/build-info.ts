import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSea } from 'node:sea';
import { asText, isObject, parseJson } from './json-object.ts';
import { packageRoot } from './package-root.ts';
import { version } from './version.ts';

/** The commit of a build. */
export interface BuildInfo {
  /** A prefix of the commit hash, with `-dirty` if files differed; `unknown` outside a git checkout. */
  readonly commit: string;
  /** The time of the commit. */
  readonly date: Date | undefined;
}

/** Returns the commit of this build, as written by src/build/build-info.ts. */
export function readBuildInfo(): BuildInfo {
  const file = join(packageRoot(), 'dist', 'build.json');
  const info = parseJson(readFileSync(file, 'utf8'));
  const { commit, date } = isObject(info) ? info : {};
  const time = asText(date);
  return {
    commit: asText(commit)?.replace(/^(\w{12})\w+/, '$1') ?? 'unknown',
    date: time === undefined ? undefined : new Date(time),
  };
}

/** Returns how botctl was installed: as one file, by npm, or as a checkout of its source. */
export function channel(): 'packaged' | 'npm' | 'checkout' {
  if (isSea()) return 'packaged';
  return existsSync(join(packageRoot(), 'src')) ? 'checkout' : 'npm';
}

/** Returns the output of `--version`: version, commit, platform, Node.js and channel. */
export function versionLine(): string {
  const { commit } = readBuildInfo();
  const platform = `${process.platform}-${process.arch}`;
  return `botctl ${version} (commit ${commit}, ${platform}, Node.js ${process.versions.node}, ${channel()})`;
}
