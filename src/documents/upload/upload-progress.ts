import { byteSize } from '../../lib/text/numbers.ts';

/** Milliseconds that a rate is taken over. */
const rateSpanMs = 10_000;

/** Milliseconds before there is a rate to tell: the first bytes only fill buffers. */
const minRateSpanMs = 1000;

/**
 * Says how far an upload is, with its rate and the time left:
 * `Uploading menu.pdf: 3.2 MB of 9.8 MB, 1.1 MB/s, 6 s left`.
 * @param label what is done: `Uploading menu.pdf`
 * @param size bytes of the file
 * @param now the time in milliseconds
 * @returns what to show, for a number of bytes that are on their way
 */
export function uploadProgress(label: string, size: number, now: () => number): (sent: number) => string {
  let points: { readonly at: number; readonly sent: number }[] = [];
  return (sent) => {
    const at = now();
    // A repetition of the call starts from the beginning.
    if (sent < (points.at(-1)?.sent ?? 0)) points = [];
    points.push({ at, sent });
    while (points.length > 2 && at - (points[1]?.at ?? at) >= rateSpanMs) points.shift();
    if (sent >= size) return `${label}: all ${byteSize(size)} sent, waiting for the answer`;
    const [first = { at, sent }] = points;
    const rate = at - first.at < minRateSpanMs ? 0 : ((sent - first.sent) / (at - first.at)) * 1000;
    const speed = rate > 0 ? `, ${byteSize(Math.round(rate))}/s, ${timeLeft((size - sent) / rate)} left` : '';
    return `${label}: ${byteSize(sent)} of ${byteSize(size)}${speed}`;
  };
}

function timeLeft(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Returns what gives the place of one thing after the other, `22 of 60`; undefined where there is only one. */
export function placesOf(count: number): () => string | undefined {
  let begun = 0;
  return () => {
    begun += 1;
    return count > 1 ? `${begun} of ${count}` : undefined;
  };
}
