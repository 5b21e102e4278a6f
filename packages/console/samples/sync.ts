import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const { BASE_URL, TOKEN } = process.env;

// Where the last run ended; without it the list is read from its start.
const cursor = existsSync('cursor.txt') ? `&cursor=${encodeURIComponent(readFileSync('cursor.txt', 'utf8'))}` : '';
const start = `${BASE_URL}/orders?limit=100`;
let url: string | undefined = start + cursor;
while (url !== undefined) {
  const response: Response = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
  if (response.status === 410 && url !== start) {
    // The cursor is of a time that is gone: drop the copy, and begin anew.
    rmSync('cursor.txt');
    url = start;
    continue;
  }
  if (!response.ok) throw new Error(await response.text());
  for (const order of await response.json()) console.log(order.orderUniqueID);
  // Store the records and the cursor together: what is written after it comes in the next run.
  writeFileSync('cursor.txt', response.headers.get('sync-cursor') ?? '');
  url = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
}
