/** A sample of a metric. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const samplePattern = /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="[^"\\\n]*",?)*)\})? (\d+(?:\.\d+)?)$/;

/**
 * Reads Prometheus' text format as far as the sandbox writes it: samples, and comments of their types.
 * @throws Error if a line is neither
 */
export function readMetrics(text: string): readonly Sample[] {
  const lines = text.trimEnd().split('\n');
  const samples = lines.filter((line) => !/^# (HELP|TYPE) \w+ ./.test(line));
  return samples.map((line) => {
    const [, name, inside = '', value] = samplePattern.exec(line) ?? [];
    if (name === undefined) throw new Error(`no sample: ${line}`);
    const labels = [...inside.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', text = '']) => [label, text]);
    return { name, labels: Object.fromEntries(labels), value: Number(value) };
  });
}
