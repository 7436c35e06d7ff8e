/**
 * What somebody would write by hand to send many messages: one after the other with undici. The yardstick of a campaign.
 *
 *     messages-loop.cjs ORIGIN MESSAGES
 */
import request from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';

async function main([origin = '', messages = '']: readonly string[]): Promise<void> {
  const agent = new Agent();
  const headers = {
    accept: 'application/json',
    authorization: 'Bearer a-token-for-the-bench',
    'content-type': 'application/json',
  };
  for (let at = 0; at < Number(messages); at += 1) {
    const message = {
      device_id: '00000000-0000-4000-8000-000000000000',
      message: `Hello Person ${at} of Recife`,
      destination_number: `55119${88_000_000 + at}`,
    };
    const { statusCode, body } = await request.call(agent, {
      origin,
      path: '/api/openapi/v1/send',
      method: 'POST',
      headers,
      body: JSON.stringify(message),
    });
    const answer = JSON.parse(await body.text());
    if (statusCode !== 200 || answer.success !== true) throw new Error(`message ${at} was refused`);
  }
  process.stdout.write(`${messages}\n`);
  await agent.destroy();
}

void main(process.argv.slice(2));
