/**
 * The baseline of a campaign: the code written by hand that sends a campaign's messages from botctl's tables, each at
 * most once. Claims a row, posts it with undici, and stores the result.
 *
 *     claim-loop.cjs ORIGIN DATABASE CAMPAIGN MESSAGES
 */
import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { inTransaction, openBare } from './bare-sqlite.ts';

async function main([origin = '', file = '', name = '', messages = '']: readonly string[]): Promise<void> {
  const database = openBare(file, 'pragma journal_mode = truncate');
  const [campaign] = database.prepare('select id from campaigns where name_key = ?').all(name);
  const next = database.prepare(
    `select row, frozen from campaign_rows where campaign = ? and state = 'planned' and device = 0 order by row limit 1`,
  );
  const claim = database.prepare(
    `update campaign_rows set state = 'sending', attempts = 1, at = ?, claim = ? where campaign = ? and row = ?`,
  );
  const settle = database.prepare(
    `update campaign_rows set state = 'accepted', at = ? where campaign = ? and row = ?`,
  );
  const headers = {
    accept: 'application/json',
    authorization: 'Bearer a-token-for-the-bench',
    'content-type': 'application/json',
  };
  for (let sent = 0; sent < Number(messages); sent += 1) {
    const row = inTransaction(database, () => {
      const [found] = next.all(campaign?.id);
      claim.run(new Date().toISOString(), randomUUID(), campaign?.id, found?.row);
      return found;
    });
    const { to, text } = JSON.parse(String(row?.frozen));
    const { statusCode, body } = await request(`${origin}/api/openapi/v1/send`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ device_id: campaign?.id, message: text, destination_number: to }),
    });
    const answer = JSON.parse(await body.text());
    if (statusCode !== 200 || answer.success !== true) throw new Error(`message ${sent} was refused`);
    inTransaction(database, () => settle.run(new Date().toISOString(), campaign?.id, row?.row));
  }
  process.stdout.write(`${messages}\n`);
}

void main(process.argv.slice(2));
