// What counts against a rate and what is kept of it: refused writes, names of consumers, public pages, and several
// processes.
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { maxRefusalEntries } from '../../src/api/refused-writes.ts';
import { until } from '../contract/until.ts';
import { maxConsumers } from '../../src/platform/outbox.ts';
import {
  assertMemory,
  assertProcessor,
  assertTime,
  settled,
  sustainedMs,
  underAttack,
  underAttackOfWorkers,
} from './attack.ts';
import { openBrowser } from './browser.ts';
import { addresses, password } from './prepared.ts';
import { type Answer, ask, head, open, postArticles, tally, together } from './wire.ts';

underAttackOfWorkers('rates', { RATE_WRITES: '120', RATE_PLATFORM: '100000' }, (attack) => {
  attack(
    'a thousand writes of a client that may only read',
    async (target) => {
      const counts: Record<string, number> = {};
      await together(20, async () => {
        for (let count = 0; count < 50; count += 1) {
          const { status } = await postArticles(target, '[]', { token: target.database.tokens.reader });
          counts[status] = (counts[status] ?? 0) + 1;
        }
      });
      const audit = await ask(target, {
        path: '/platform/audit?limit=100&action=articles.submit',
        token: target.database.keys.attacker,
      });
      return { counts, audit: JSON.parse(audit.body.toString()).entries.length };
    },
    ({ slowness }, { counts, audit }) => {
      assert.ok((counts[403] ?? 0) <= 240, `${JSON.stringify(counts)} with 120 writes a minute`);
      assert.ok((counts[429] ?? 0) >= 700, JSON.stringify(counts));
      // Those with an entry of their own; the one that counts the others comes when the minute is over. A process that
      // waits for storage for longer than a second counts by itself.
      const most = (slowness < 4 ? 1 : 2) * maxRefusalEntries + 2;
      assert.ok(audit > 0 && audit <= most, `${audit} entries of the audit trail`);
    },
  );

  attack(
    '1,000 names of consumers under one key',
    async (target) => {
      const key = target.database.keys.attacker;
      const answers = await together(10, async (lane) => {
        const statuses: number[] = [];
        for (let count = 0; count < 100; count += 1)
          statuses.push(
            (await ask(target, { path: `/platform/outbox?consumer=c-${lane}-${count}`, token: key })).status,
          );
        return statuses;
      });
      // Until the figures of storage have been read again.
      await wait(1000);
      const started = performance.now();
      const health = await ask(target, { path: '/healthz', token: null });
      const metrics = await ask(target, { path: '/metrics', token: null });
      return {
        taken: answers.flat().filter((status) => status === 200).length,
        health,
        metrics,
        milliseconds: performance.now() - started,
      };
    },
    (measured, { taken, health, metrics, milliseconds }) => {
      assert.equal(taken, maxConsumers, 'names that were taken');
      assert.equal(health.status, 200);
      assert.ok(milliseconds < 2000, `/healthz and /metrics took ${milliseconds.toFixed(0)} ms`);
      assert.ok(metrics.body.length < 300_000, `the metrics have ${metrics.body.length} bytes`);
      assertMemory(measured, 500);
    },
  );

  attack(
    'static texts, compressed for each of 200 requests',
    (target) =>
      together(200, (index) =>
        ask(target, {
          path: ['/v1/openapi.json', '/platform/openapi.json', '/problems'][index % 3] ?? '',
          token: null,
          headers: { 'accept-encoding': ['br', 'gzip', 'zstd'][index % 3] ?? '' },
        }),
      ),
    (measured) => {
      assertProcessor(measured, 3);
      assertMemory(measured, 500);
    },
  );

  attack(
    'paths that do not exist, and tokens that are none, without end',
    async (target) =>
      tally(
        await together(20, async (lane) => {
          let last = await ask(target, { path: `/v1/none/${lane}`, token: null });
          for (let count = 0; count < 50; count += 1)
            last = await ask(target, { path: '/v1/orders', token: `${target.database.tokens.attacker}x` });
          return last;
        }),
      ),
    (measured) => assertProcessor(measured, 10),
  );

  attack(
    'six hundred connections of one address',
    async (target) => {
      const sockets = await together(600, () => open(target));
      await wait(500);
      const held = sockets.filter(({ destroyed, readyState }) => !destroyed && readyState === 'open').length;
      for (const socket of sockets) socket.destroy();
      return held;
    },
    (measured, held) => {
      assert.ok(held <= 300, `${held} of 600 are held`);
      assertMemory(measured, 300);
    },
  );

  attack(
    'four hundred requests in one packet',
    async (target) => {
      const sockets = await together(10, () => open(target));
      const text = Array.from({ length: 400 }, () =>
        head('GET', '/v1/orders?limit=1', { Authorization: `Bearer ${target.database.tokens.attacker}` }),
      ).join('');
      for (const socket of sockets) socket.resume().write(text);
      await settled(target, 4000);
      for (const socket of sockets) socket.destroy();
    },
    (measured) => assertMemory(measured, 500),
  );
});

underAttack(
  'public pages',
  { RATE_READS: '400' },
  (attack) => {
    attack(
      'public pages without end from one address',
      async (target) =>
        tally(
          (
            await together(60, async () => {
              const answers: Answer[] = [];
              for (let count = 0; count < 10; count += 1)
                answers.push(await ask(target, { path: '/v1/openapi.json', token: null }));
              return answers;
            })
          ).flat(),
        ),
      (_measured, counts) => {
        assert.ok((counts[200] ?? 0) <= 400 && (counts[429] ?? 0) >= 200, JSON.stringify(counts));
      },
    );
  },
  { pace: 250 },
);

/** Where people are asked who they are, and where they come back to; of nobody who was let in. */
const pagesOfSignIn: readonly string[] = [
  '/account',
  '/account/second-factor',
  '/connect/signout',
  '/connect/interaction/nobody',
  `/connect/federation/nobody?state=nobody.${'A'.repeat(43)}`,
  '/connect/federation/nobody?state=wrong',
  '/connect/authorize?response_type=code',
];

/** Pages for everybody that have a rate. */
const limited = ['/.well-known/openid-configuration', '/connect/jwks'];

/**
 * Answers to one address of a rate of 600 that processes share: each begins with a twentieth of its own. One that waits
 * for storage for longer than a second counts by itself, which is not to happen twice.
 */
function assertWithin600(answered: number): void {
  assert.ok(answered <= 1200, `${answered} were answered`);
  assertTime(answered <= 630, `${answered} were answered; 630 are allowed`);
}

underAttackOfWorkers(
  'callers without a token',
  { RATE_ANONYMOUS: '600', RATE_READS: '600', RATE_SIGN_INS: '60' },
  (attack) => {
    attack(
      'a hundred connections of one address that ask without end, and somebody with a token behind the same address',
      async (target) => {
        const counts: Record<string, number> = {};
        // Each worker has its share of the connections of an address, and they do not come to them evenly.
        const stop = withoutEnd(100, async (lane, agent) => {
          const token = lane % 2 === 0 ? null : `${target.database.tokens.attacker}x`;
          const { status } = await ask(target, { path: '/v1/orders', token, agent });
          return () => {
            counts[status] = (counts[status] ?? 0) + 1;
          };
        });
        await wait(sustainedMs / 2);
        const started = performance.now();
        const known = await together(4, async () => {
          const answers: Answer[] = [];
          for (let count = 0; count < 10; count += 1) answers.push(await ask(target, { path: '/v1/orders?limit=1' }));
          return answers;
        });
        const knownMs = performance.now() - started;
        await wait(sustainedMs / 2);
        await stop();
        return { counts, known: tally(known.flat()), knownMs };
      },
      (measured, { counts, known, knownMs }) => {
        assert.deepEqual(Object.keys(counts), ['401'], JSON.stringify(counts));
        // A hundred at once, and ten a second from then on; the other connections wait.
        assert.ok((counts[401] ?? 0) <= 100 + 200, `${counts[401]} answers`);
        assert.deepEqual(known, { 200: 40 });
        assert.ok(knownMs < 4500, `${knownMs.toFixed(0)} ms: who has a token waited for those who have none`);
        assertProcessor(measured, 6);
      },
    );

    attack(
      'pages of sign-in and account, callbacks of identity providers and parts of the console without end',
      async (target) => {
        const paths = [...pagesOfSignIn, '/', '/console/manifest.json', '/console/none.js'];
        const counts = { given: 0, refused: 0, others: 0 };
        const wrong: string[] = [];
        const stop = withoutEnd(100, async (lane, agent) => {
          const path = paths[lane % paths.length] ?? '';
          const headers = { host: new URL(addresses.AUTH_URL).host, accept: 'text/html' };
          const { status } = await ask(target, { path, token: null, agent, headers, from: '127.0.3.9' });
          return () => {
            if (status === 0 || status >= 500) wrong.push(`${path} ${status}`);
            if (!pagesOfSignIn.includes(path)) counts.others += 1;
            else if (status === 200 || status === 303) counts.given += 1;
            else counts.refused += 1;
          };
        });
        await wait(2 * sustainedMs);
        await stop();
        return { counts, wrong };
      },
      (measured, { counts, wrong }) => {
        assert.deepEqual(wrong.slice(0, 5), []);
        assert.ok(counts.given > 0, JSON.stringify(counts));
        assertWithin600(counts.given);
        // Sixty that the library refuses, a hundred at once and ten a second from then on, and one of each connection.
        assert.ok(counts.refused <= 300, JSON.stringify(counts));
        assert.ok(counts.others <= 800, JSON.stringify(counts));
        assertProcessor(measured, 6);
      },
    );

    attack(
      'the account page of somebody who is signed in, without end',
      async (target) => {
        const browser = openBrowser(target, '127.0.3.10');
        const form = await browser.get('/account');
        const csrf = /name="csrf" value="([^"]*)"/.exec(form.body.toString())?.[1] ?? '';
        const signedIn = await browser.post('/account/sign-in', { csrf, login: 'attacker', password });
        const counts: Record<string, number> = {};
        const stop = withoutEnd(50, async () => {
          const { status } = await browser.get('/account');
          return () => {
            counts[status] = (counts[status] ?? 0) + 1;
          };
        });
        // Where nobody is refused, it ends all the same.
        await until(() => counts[429] !== undefined || (counts[200] ?? 0) > 1200).finally(stop);
        return { signedIn, counts };
      },
      (measured, { signedIn, counts }) => {
        assert.equal(signedIn.status, 303);
        assert.deepEqual(Object.keys(counts), ['200', '429'], JSON.stringify(counts));
        assertWithin600(counts[200] ?? 0);
        // A hundred at once, ten a second from then on, and one that waits on each connection.
        assert.ok((counts[429] ?? 0) <= 300, JSON.stringify(counts));
        assertProcessor(measured, 9);
      },
    );

    attack(
      'health, metrics, discovery and pages that do not exist without end',
      async (target) => {
        const paths = ['/healthz', '/metrics', ...limited, '/nowhere'];
        const counts: Record<string, number> = {};
        const refused = (): boolean => limited.every((path) => counts[`${path} 429`] !== undefined);
        // So few that the victim, whose requests wait behind one of each, is served as in quiet by a slow machine too.
        const stop = withoutEnd(30, async (lane, agent) => {
          const path = paths[lane % paths.length] ?? '';
          const { status } = await ask(target, { path, token: null, agent, from: '127.0.3.1' });
          const name = `${path} ${status}`;
          return () => {
            counts[name] = (counts[name] ?? 0) + 1;
          };
        });
        await wait(sustainedMs);
        await until(refused);
        await stop();
        return counts;
      },
      (_measured, counts) => {
        for (const path of limited) {
          assert.ok((counts[`${path} 429`] ?? 0) > 0, JSON.stringify(counts));
          assertWithin600(counts[`${path} 200`] ?? 0);
        }
        assertWithin600(counts['/nowhere 404'] ?? 0);
        assert.ok((counts['/healthz 200'] ?? 0) + (counts['/metrics 200'] ?? 0) <= 6000, JSON.stringify(counts));
      },
    );
  },
  { pace: 250 },
);

/**
 * Asks on so many connections, each again as soon as it is answered, until told to stop: then all end at once, and what
 * was not answered does not count.
 * @param once one request; what it gives counts the answer
 */
function withoutEnd(
  connections: number,
  once: (lane: number, agent: Agent) => Promise<() => void>,
): () => Promise<unknown> {
  const agents = Array.from({ length: connections }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  let over = false;
  const asking = Promise.all(
    agents.map(async (agent, lane) => {
      while (!over) {
        const count = await once(lane, agent);
        if (!over) count();
      }
    }),
  );
  return () => {
    over = true;
    for (const agent of agents) agent.destroy();
    return asking;
  };
}

underAttack('rates of several processes', { RATE_WRITES: '60' }, (attack) => {
  attack(
    'one client at two processes at once',
    async (target) => {
      const other = await target.beside();
      const statuses = await together(300, (index) =>
        postArticles(target, '[]', { port: index % 2 === 0 ? target.port : other.port }),
      );
      return tally(statuses);
    },
    ({ slowness }, counts) => {
      const passed = Object.entries(counts)
        .filter(([status]) => status !== '429')
        .reduce((sum, [, count]) => sum + count, 0);
      // A process that waits for storage for longer than a second counts by itself.
      const most = slowness < 4 ? 75 : 120;
      assert.ok(
        passed <= most,
        `60 writes a minute are allowed, ${passed} were let through: ${JSON.stringify(counts)}`,
      );
    },
  );
});
