import type { HelpRow } from '../../src/cli/help/text.ts';
import { topics } from '../../src/cli/help/topics.ts';

/** Returns the terms and meanings in a help topic, all or those below a heading. */
export async function topicRows(name: string, heading?: string): Promise<readonly HelpRow[]> {
  const page = await topics.find((topic) => topic.name === name)?.load({});
  const lists = page?.parts.filter((part) => typeof part === 'object' && 'rows' in part) ?? [];
  return lists
    .filter((list) => heading === undefined || list.heading === heading)
    .flatMap(({ rows }) => rows);
}
