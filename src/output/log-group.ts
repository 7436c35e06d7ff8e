import type { Io } from '../lib/io.ts';

/** The environment of a log. */
interface LogContext {
  readonly env: Io['env'];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Returns a text of several lines as a group that the log of GitHub Actions or GitLab CI folds; elsewhere unchanged.
 */
export function logGroup(title: string, text: string, { env, now }: LogContext): string {
  if (env.GITHUB_ACTIONS === 'true') return `::group::${title}\n${withoutCommands(text)}::endgroup::\n`;
  if (env.GITLAB_CI === 'true') {
    const mark = (edge: string): string => `\x1b[0Ksection_${edge}:${Math.floor(now / 1000)}:botctl_plan`;
    return `${mark('start')}[collapsed=true]\r\x1b[0K${title}\n${text}${mark('end')}\r\x1b[0K\n`;
  }
  return text;
}

/**
 * Returns a text without workflow commands. GitHub's runner executes a log line that begins with `::` or contains
 * `##[`, which a name of the service may do.
 */
function withoutCommands(text: string): string {
  return text.replace(/^(\s*):(?=:)/gm, '$1: ').replaceAll('##[', '# #[');
}
