/**
 * Lets the first rows of a campaign have been sent, so that the next run goes on behind them. The store is that of the
 * environment, as botctl finds it.
 *
 *     settle-case.cjs ORIGIN CAMPAIGN ROWS
 */
import { openStore } from '../../src/campaigns/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type RemarkText, remarkText } from '../../src/lib/text/remark.ts';
import { createSettings } from '../../src/settings/settings.ts';
import { runCase } from './case-store.ts';

/** Rows that are recorded in one step. */
const atOnce = 5000;

runCase(async ([origin = '', name = '', count = '']) => {
  const io = { env: process.env };
  const globals = { profile: undefined, baseUrl: undefined, insecureHttp: false };
  const tell = (text: RemarkText): void => void process.stderr.write(`${remarkText(text)}\n`);
  const context = {
    io,
    identity: { settings: undefined, baseUrl: origin },
    settings: createSettings(io, globals),
    clock: systemClock,
    reporter: { note: tell, warn: tell },
  };
  const store = await openStore(context, undefined);
  const found = await store.look(origin, name);
  if (!found) throw new Error(`there is no campaign ${name}`);
  const at = new Date().toISOString();
  for (let first = 1; first <= Number(count); first += atOnce) {
    const rows = Array.from(
      { length: Math.min(atOnce, Number(count) - first + 1) },
      (_, next) => first + next,
    );
    for (const event of ['claim', 'accept'] as const)
      await store.record(
        found.campaign,
        rows.map((row) => ({ row, event, at })),
      );
  }
});
