// Answers that cost more than their requests: long lists of reasons, kept answers, answers that nobody reads, and what
// has to be counted for an answer.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { parisTime } from '../../src/carriers/paris-time.ts';
import { assertMemory, assertProcessor, settled, sustainedMs, underAttack } from './attack.ts';
import { activities, shippingContext } from './prepared.ts';
import { addRows } from './storage.ts';
import type { Target } from './target.ts';
import { type Answer, ask, head, open, postArticles, tally, together } from './wire.ts';

/** Items of which every one has as many faults as are listed. */
const faultyItems = gzipSync(
  JSON.stringify(
    Array.from({ length: 500 }, () => ({
      activityCode: activities.attacker,
      ...Object.fromEntries(Array.from({ length: 100 }, (_none, index) => [`${'x'.repeat(200)}${index}`, 1])),
    })),
  ),
);

/** Bytes: a megabyte of reasons, and the keys of 500 items. */
const mostAnswer = 1_050_000;

underAttack('answers', {}, (attack) => {
  attack(
    'some kilobytes that name 50,000 faults',
    (target) => postArticles(target, faultyItems, { headers: { 'content-encoding': 'gzip' } }),
    (measured, { status, body }) => {
      assert.equal(status, 200);
      assert.ok(body.length < mostAnswer, `the answer has ${body.length} bytes`);
      assert.equal(Object.keys(JSON.parse(body.toString()).errors).length > 0, true);
      assertMemory(measured, 500);
      assertProcessor(measured, 3);
    },
  );

  attack(
    'the same under twenty keys, whose answers are kept',
    (target) =>
      together(20, (index) =>
        postArticles(target, faultyItems, {
          headers: { 'content-encoding': 'gzip', 'idempotency-key': `"key-${index}"` },
        }),
      ),
    (measured, answers) => {
      for (const { status, headers, body } of answers) {
        assert.ok(status === 200 || headers['retry-after'] !== undefined, `${status}`);
        assert.ok(body.length < mostAnswer, `an answer has ${body.length} bytes`);
      }
      assertMemory(measured, 500);
      assertProcessor(measured, 20);
    },
  );

  attack(
    '25 such answers that are never read',
    async (target) => {
      const headers = {
        ...bearer(target),
        'Content-Type': 'application/json',
        'Content-Encoding': 'gzip',
        'Content-Length': String(faultyItems.length),
      };
      const request = Buffer.concat([Buffer.from(head('POST', '/v1/articles?dryRun=true', headers)), faultyItems]);
      await unread(target, 25, () => request);
    },
    (measured) => assertMemory(measured, 500),
  );

  attack(
    '200 connections that ask for large pages, ten at a time, and never read',
    async (target) => {
      // Different pages: what is remembered once costs once.
      await unread(target, 200, (index) =>
        Buffer.from(
          Array.from({ length: 10 }, (_none, each) =>
            head('GET', `/v1/orders?limit=${100 - each}&filter=internalId%3C${300 - (index % 50)}`, {
              ...bearer(target),
              'Accept-Encoding': 'identity',
            }),
          ).join(''),
        ),
      );
    },
    (measured) => assertMemory(measured, 500),
  );

  attack(
    'where a day of 10,000 labels stands, asked for without a pause',
    async (target) => {
      const madeAt = Date.now();
      await addLabels(target, 10_000, madeAt);
      const path = `/platform/shippings/handovers/${shippingContext}/sandbox?day=${parisTime(madeAt).date}`;
      const over = performance.now() + sustainedMs;
      const answers: Answer[] = [];
      await together(4, async () => {
        do answers.push(await ask(target, { path, token: target.database.keys.attacker }));
        while (performance.now() < over);
      });
      return answers;
    },
    (measured, answers) => {
      assert.deepEqual(tally(answers), { 200: answers.length });
      assert.match(answers[0]?.body.toString() ?? '', /"openLabels":10000,/);
      assertMemory(measured, 300);
    },
  );
});

/** Labels of one account that are on no list, a tenth of a millisecond apart, whose requests are as long as allowed. */
async function addLabels({ database }: Target, count: number, madeAt: number): Promise<void> {
  const request = JSON.stringify({ modeCol: 'CCC', modeLiv: 'HOM', instruction: 'x'.repeat(3000) });
  await addRows(database, {
    ...{
      table: 'shipping_label',
      count,
      from: `, carrier_account account where account.context = '${shippingContext}'`,
    },
    columns: {
      ...{ id: "'handed-' || k", owner: `'${activities.attacker}'`, account_id: 'account.id' },
      ...{ context: 'account.context', carrier: 'account.carrier', expedition_number: "'N' || k", state: "'made'" },
      ...{ fingerprint: "'F' || k", request: `'${request}'`, operation_id: "'handed-' || k", client_id: "'attacker'" },
      created_at: `${madeAt} + k / 10`,
    },
  });
}

const bearer = ({ database }: Target): Readonly<Record<string, string>> => ({
  Authorization: `Bearer ${database.tokens.attacker}`,
});

/** Connections that ask and do not read; they let go some time after the server has done what it does for them. */
async function unread(target: Target, count: number, request: (index: number) => Buffer): Promise<void> {
  const sockets = await together(count, () => open(target));
  for (const [index, socket] of sockets.entries()) socket.pause().write(request(index));
  await settled(target, 5000);
  await wait(1000);
  for (const socket of sockets) socket.destroy();
}
