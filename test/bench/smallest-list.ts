/**
 * The baseline of the start of `botctl teams list`: the smallest script that does the same. Its argument is the
 * address.
 */
import { get } from 'node:http';

get(
  `${process.argv[2]}/api/openapi/v1/teams?page=1&limit=100`,
  { headers: { authorization: 'Bearer a-token-for-the-bench' } },
  (response) => {
    let body = '';
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      body += text;
    });
    response.on('end', () => {
      const lines = JSON.parse(body).data.map((team: object) => `${Object.values(team).join('\t')}\n`);
      process.stdout.write(lines.join(''));
    });
  },
);
