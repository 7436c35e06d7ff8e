/** A sample of a metric. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const labelPattern = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;
const samplePattern = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (NaN|[+-]?Inf|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/**
 * Reads Prometheus' text format, version 0.0.4, as strictly as it is described (Prometheus, Exposition formats).
 * @throws Error for whatever is none
 */
export function readMetrics(text: string): readonly Sample[] {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const samples: Sample[] = [];
  const types = new Map<string, string>();
  const helps = new Set<string>();
  const seen = new Set<string>();
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, of = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      if (helps.has(of)) throw new Error(`a second HELP: ${line}`);
      helps.add(of);
    } else if (kind === 'TYPE') {
      if (types.has(of) || !['counter', 'gauge', 'histogram', 'summary', 'untyped'].includes(rest))
        throw new Error(`no such TYPE, or a second one: ${line}`);
      types.set(of, rest);
    } else {
      const sample = readSample(line);
      const last = [...types].at(-1);
      const suffixes = last?.[1] === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      // All lines of a metric stand together, behind its type.
      if (!suffixes.some((suffix) => `${last?.[0]}${suffix}` === sample.name))
        throw new Error(`not below its TYPE: ${line}`);
      const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
      if (seen.has(key)) throw new Error(`said twice: ${line}`);
      seen.add(key);
      samples.push(sample);
    }
  }
  return samples;
}

function readSample(line: string): Sample {
  const [, name = '', inside = '', value = ''] = samplePattern.exec(line) ?? [];
  if (name === '') throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  labelPattern.lastIndex = 0;
  while (labelPattern.lastIndex < inside.length) {
    const [, label = '', text = ''] = labelPattern.exec(inside) ?? [];
    if (label === '' || label in labels) throw new Error(`broken labels: ${line}`);
    labels[label] = text;
  }
  return { name, labels, value: value.includes('Inf') ? Number.POSITIVE_INFINITY : Number(value) };
}
