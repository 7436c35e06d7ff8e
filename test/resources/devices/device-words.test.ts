import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/lib/package-root.ts';
import { eventWords, goals, stateWords } from '../../../src/resources/devices/device-words.ts';

describe('the result words', () => {
  it('have the same meaning as a state and as an event', () => {
    const events: Readonly<Record<string, string>> = eventWords;
    const shared = Object.entries(stateWords).filter(([word]) => word in events);
    expect(shared.map(([word]) => word).sort()).toEqual([
      'connecting',
      'ready',
      'reconnecting',
      'starting',
      'stopped',
      'waiting',
    ]);
    for (const [word, meaning] of shared) expect(events[word]).toBe(meaning);
  });

  it('have one meaning each, and are unique', () => {
    for (const words of [stateWords, eventWords])
      expect(new Set(Object.values(words)).size).toBe(Object.keys(words).length);
  });

  it('are all in botctl help pairing', () => {
    const topic = readFileSync(join(packageRoot(), 'src/cli/help/topics/pairing.md'), 'utf8');
    const words = new Set(topic.match(/[a-z_]+/g));
    expect(Object.keys(eventWords).filter((word) => !words.has(word))).toEqual([]);
  });

  it('use "lost" only for the device that is awaited', () => {
    expect(goals).toContain('lost');
    expect([...Object.keys(stateWords), ...Object.keys(eventWords)]).not.toContain('lost');
  });
});
