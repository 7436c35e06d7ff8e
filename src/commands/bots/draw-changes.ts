import type { Change } from '../../resources/bots/changes.ts';
import type { Paint } from '../../terminal/colour.ts';

/** Draws changes as a unified diff of YAML. */
export async function drawChanges(
  list: readonly Change[],
  names: { readonly before: string; readonly after: string },
  paint: Paint,
): Promise<string> {
  const [{ toYaml }, { drawDiff }] = await Promise.all([
    import('../../output/yaml.ts'),
    import('../../output/diff.ts'),
  ]);
  const text = (side: 'from' | 'to'): string => {
    const shown = list.filter((change) => change[side] !== undefined);
    return shown.length === 0
      ? ''
      : toYaml(Object.fromEntries(shown.map((change) => [change.field, change[side]])));
  };
  return drawDiff(text('from'), text('to'), names, paint);
}
