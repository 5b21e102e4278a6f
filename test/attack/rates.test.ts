// What counts against a rate and what is kept of it: refused writes and public pages.
import assert from 'node:assert/strict';
import { assertMemory, assertProcessor, underAttack } from './attack.ts';
import { ask, postArticles, tally, together } from './wire.ts';

underAttack('rates', { RATE_WRITES: '120', RATE_PLATFORM: '100000' }, (attack) => {
  attack('a thousand writes of a client that may only read', async (target) => {
    const counts: Record<string, number> = {};
    await together(20, async () => {
      for (let count = 0; count < 50; count += 1) {
        const { status } = await postArticles(target, '[]', { token: target.database.tokens.reader });
        counts[status] = (counts[status] ?? 0) + 1;
      }
    });
    const audit = await ask(target, { path: '/platform/audit?limit=100&action=articles.submit', token: target.database.keys.attacker });
    return { counts, audit: JSON.parse(audit.body.toString()).entries.length };
  }, (_measured, { counts, audit }) => {
    assert.ok((counts[403] ?? 0) <= 240, `${JSON.stringify(counts)} with 120 writes a minute`);
    assert.ok((counts[429] ?? 0) >= 700, JSON.stringify(counts));
    assert.ok(audit <= 100);
  });

  attack('static texts, compressed for each of 300 requests', (target) => together(300, (index) =>
    ask(target, { path: ['/v1/openapi.json', '/platform/openapi.json', '/problems'][index % 3] ?? '', token: null, headers: { 'accept-encoding': ['br', 'gzip', 'zstd'][index % 3] ?? '' } })), (measured) => {
    assertProcessor(measured, 3);
    assertMemory(measured, 500);
  });

  attack('paths that do not exist, and tokens that are none, without end', async (target) => tally(await together(20, async (lane) => {
    let last = await ask(target, { path: `/v1/none/${lane}`, token: null });
    for (let count = 0; count < 50; count += 1) last = await ask(target, { path: '/v1/orders', token: `${target.database.tokens.attacker}x` });
    return last;
  })), (measured) => assertProcessor(measured, 10));
});

underAttack('public pages', { RATE_READS: '400' }, (attack) => {
  attack('public pages without end from one address', async (target) => tally(await together(600, () => ask(target, { path: '/v1/openapi.json', token: null }))), (_measured, counts) => {
    assert.ok((counts[200] ?? 0) <= 400 && (counts[429] ?? 0) >= 200, JSON.stringify(counts));
  });
}, 250);
