// Bodies that cost more than they weigh: in tiny chunks, compressed to almost nothing, and never brought to an end.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { assertMemory, assertNoHold, assertProcessor, settled, sustainedMs, underAttackOfWorkers } from './attack.ts';
import { machineSlowness } from './machine-slowness.ts';
import { activities } from './prepared.ts';
import type { Target } from './target.ts';
import { head, open, postArticles, tally, together } from './wire.ts';

underAttackOfWorkers('bodies', {}, (attack) => {
  attack(
    'a body of 10 MB in chunks of one byte',
    (target) => chunked(target, 10_000_000),
    (measured) => {
      assertMemory(measured, 500);
      assertProcessor(measured, 3);
    },
  );

  attack(
    'four bodies of 2 MB in chunks of one byte at once',
    (target) => together(4, () => chunked(target, 2_000_000)),
    (measured) => {
      assertMemory(measured, 500);
      assertProcessor(measured, 3);
    },
  );

  attack(
    'a hundred connections that send bodies in chunks of one byte, again and again, with a token and without',
    async (target) => {
      const until = performance.now() + sustainedMs;
      let bodies = 0;
      await together(100, async (lane) => {
        while (performance.now() < until) {
          await chunked(target, 32_000, lane % 2 === 0);
          bodies += 1;
        }
      });
      return bodies;
    },
    (measured, bodies) => {
      // Half a millisecond for the pieces of each, and as much for an answer. To go through what was read at once would
      // take 15 to 20.
      assert.ok(
        measured.processorSeconds < 0.5 + bodies * 0.005 * machineSlowness,
        `${measured.processorSeconds} s for ${bodies}`,
      );
      // Were a hundred of them gone through at the same moment, 1.7 s. A hundred requests are some 50 ms.
      assertNoHold(measured, 500);
      assertMemory(measured, 500);
    },
  );

  attack(
    'a hundred connections that send thousands of requests without waiting for an answer',
    (target) =>
      together(100, async () => {
        const socket = await open(target);
        const ended = new Promise<void>((resolve) => socket.once('close', resolve));
        socket.resume().write('GET / HTTP/1.1\r\nHost:x\r\n\r\n'.repeat(7000));
        await Promise.race([ended, wait(15_000, undefined, { ref: false })]);
        socket.destroy();
      }),
    (measured) => {
      // Without a bound on what is gone through: 1.7 GB and 17 s.
      assertMemory(measured, 300);
      assertProcessor(measured, 2);
      assertNoHold(measured, 500);
    },
  );

  attack(
    '119 compressed bodies of 10 MB whose last bytes are withheld',
    async (target) => {
      const body = gzipSync(Buffer.alloc(10_400_000, ' '));
      const sockets = await together(119, () => open(target));
      const headers = { ...post(target), 'Content-Encoding': 'gzip', 'Content-Length': String(body.length) };
      const begun = Buffer.concat([Buffer.from(head('POST', '/v1/articles', headers)), body.subarray(0, -4)]);
      for (const socket of sockets) {
        socket.resume().write(begun);
        await wait(15);
      }
      await settled(target, 3000);
      for (const socket of sockets) socket.destroy();
    },
    (measured) => assertMemory(measured, 500),
  );

  attack(
    'sixty bodies of 9 MB that stop before their end',
    async (target) => {
      const sockets = await together(60, () => open(target));
      const headers = { ...post(target), 'Content-Length': '10000000' };
      const begun = Buffer.concat([Buffer.from(head('POST', '/v1/articles', headers)), Buffer.alloc(9_000_000, ' ')]);
      for (const socket of sockets) {
        socket.resume().write(begun);
        await wait(40);
      }
      await settled(target, 3000);
      for (const socket of sockets) socket.destroy();
    },
    (measured) => assertMemory(measured, 500),
  );

  attack(
    'a hundred trials of 500 items with 100 unknown names each, 3 kB on the wire',
    async (target) => {
      const names = Object.fromEntries(Array.from({ length: 100 }, (_none, index) => [`unknown${index}`, 1]));
      const items = Array.from({ length: 500 }, () => ({ activityCode: activities.attacker, ...names }));
      const body = gzipSync(JSON.stringify(items), { level: 9 });
      assert.ok(body.length < 6000, `${body.length} bytes`);
      return together(100, () =>
        postArticles(target, body, { path: '/v1/articles?dryRun=true', headers: { 'content-encoding': 'gzip' } }),
      );
    },
    (measured, answers) => {
      // Either taken, or told to come back; never left without an answer.
      const wrong = answers.filter(({ status, headers }) => status !== 200 && headers['retry-after'] === undefined);
      assert.deepEqual(
        wrong.map(({ status }) => status),
        [],
        JSON.stringify(tally(answers)),
      );
      for (const { body } of answers) assert.ok(body.length < 1_050_000, `an answer has ${body.length} bytes`);
      assertMemory(measured, 500);
    },
  );
});

const post = ({ database }: Target): Readonly<Record<string, string>> => ({
  Authorization: `Bearer ${database.tokens.attacker}`,
  'Content-Type': 'application/json',
});

/** Sends a body of so many chunks of one byte, as fast as it is taken, until the server has had enough of it. */
async function chunked(target: Target, count: number, isKnown = true): Promise<void> {
  const socket = await open(target);
  let over = false;
  const ended = new Promise<void>((resolve) => socket.once('close', resolve));
  ended.then(() => {
    over = true;
  });
  socket.once('data', () => {
    over = true;
  });
  const headers = isKnown ? post(target) : { 'Content-Type': 'application/json' };
  socket.write(head('POST', '/v1/articles', { ...headers, 'Transfer-Encoding': 'chunked' }));
  const some = Buffer.from('1\r\n \r\n'.repeat(10_000));
  for (let sent = 0; sent < count && !over; sent += 10_000) await written(socket, some);
  socket.end('0\r\n\r\n');
  socket.resume();
  await Promise.race([ended, wait(15_000, undefined, { ref: false })]);
  socket.destroy();
}

async function written(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return;
  await new Promise<void>((resolve) => {
    socket.once('drain', resolve);
    socket.once('close', resolve);
    socket.once('data', () => resolve());
  });
}
