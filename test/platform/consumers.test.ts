// Whose a consumer of the outbox is: one of its own for each key that names none, one for all that name the same; and
// consumers that hang up.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { articleOf, pageOf } from './outbox-pages.ts';

const path = '/platform/outbox';
let running: RunningApp;
let names = 0;
before(async () => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  running = await startApp(engine);
});
after(() => running.close());

const get = (query: string, token: string): Promise<Answered> => running.get(`${path}?${query}`, { token });
const ack = (body: unknown, token: string): Promise<Answered> => running.send(`${path}/ack`, body, { token });
const newKey = async (...activityCodes: readonly string[]): Promise<{ readonly id: string; readonly text: string }> => {
  const { key, text } = await addPlatformKey(
    running.app.store,
    { name: `key ${++names}`, activityCodes, roles: ['outbox', 'audit'] },
    Date.now(),
  );
  return { id: key.id, text };
};
const write = async (activityCode: 'NOR' | 'SOU'): Promise<void> => {
  assert.equal(
    (
      await running.send('/v1/articles', [articleOf(activityCode, `A${++names}`)], { token: running.tokens.both })
    ).object().status,
    200,
  );
};
const known = async (
  consumer: string,
): Promise<readonly (readonly [activity: string, delivered: number, acknowledged: number])[]> =>
  (await running.app.store.outbox.consumers())
    .filter((each) => each.consumer === consumer)
    .map(({ activity, delivered, acknowledged }) => [activity, delivered, acknowledged]);

describe('a consumer', () => {
  it('of a key that names none is its own, whatever other keys read and acknowledge', async () => {
    const [first, second] = [await newKey('NOR'), await newKey('NOR')];
    await write('NOR');
    await write('NOR');
    const { position, entries } = pageOf(await get('', first.text));
    assert.equal((await ack({ position }, second.text)).status, 409);
    assert.deepEqual((await ack({ position }, first.text)).object(), {
      consumer: first.id,
      acknowledged: position,
      waiting: 0,
    });
    assert.equal(pageOf(await get('', second.text)).entries.length, entries.length);
    assert.equal(pageOf(await get('', first.text)).entries.length, 0);
  });

  it('of a key that was replaced goes on under the name that the new one gives', async () => {
    const [old, successor] = [await newKey('NOR'), await newKey('NOR')];
    await write('NOR');
    const { position } = pageOf(await get('', old.text));
    await ack({ position }, old.text);
    await write('NOR');
    assert.equal(pageOf(await get(`consumer=${old.id}`, successor.text)).entries.length, 1);
  });

  it('that keys of different activities share moves in those of each alone', async () => {
    const [north, south] = [await newKey('NOR'), await newKey('SOU')];
    await write('NOR');
    await write('SOU');
    const consumer = `shared-${++names}`;
    const { position } = pageOf(await get(`consumer=${consumer}`, north.text));
    assert.match(position, /^NOR:\d+$/);
    assert.deepEqual((await ack({ consumer, position }, south.text)).status, 400);
    await ack({ consumer, position }, north.text);
    assert.deepEqual(
      (await known(consumer)).map(([activity]) => activity),
      ['NOR'],
    );
    const answer = await get(`consumer=${consumer}`, south.text);
    assert.ok(pageOf(answer).entries.length > 0);
    assert.doesNotMatch(answer.body, /NOR/);
  });
});

describe('a consumer that hangs up while it waits', () => {
  it('was given nothing of what is written then', { timeout: 900_000 }, async () => {
    const key = await newKey('NOR');
    await running.app.server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = running.app.server.server.address() as AddressInfo;
    const { position } = pageOf(await get('', key.text));
    await ack({ position }, key.text);
    const untouched = await known(key.id);
    const arrived = once(running.app.server.server, 'request');
    const waiting = request({
      port,
      host: '127.0.0.1',
      path: `${path}?wait=25`,
      headers: { authorization: `Bearer ${key.text}` },
    }).on('error', () => undefined);
    waiting.end();
    const [, answer] = await arrived;
    const gone = once(answer, 'close');
    await pause(100);
    waiting.destroy();
    await gone;
    await write('NOR');
    // Longer than it takes until a waiting request looks again.
    await pause(1000);
    assert.deepEqual(await known(key.id), untouched);
    assert.equal(pageOf(await get('', key.text)).entries.length, 1);
  });
});
