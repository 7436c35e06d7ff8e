import { readYaml } from '../../lib/yaml.ts';
import type { FileProblem, Written } from './written.ts';

/** The value of a text, undefined if the text is no YAML, and everything that is wrong with its form. */
export interface ReadWritten {
  readonly root: Written | undefined;
  readonly problems: readonly FileProblem[];
}

/**
 * Reads a file of tenants or of variables.
 * @param file what it is called in messages
 * @throws Failure `invalidInput` as `readYaml`
 */
export async function readWritten(content: string, file: string): Promise<ReadWritten> {
  const { root, problems } = await readYaml(content, file);
  return { root, problems: problems.map((problem) => ({ ...problem, field: '' })) };
}
