// The demonstration from outside by HTTP alone: a server of several workers at 60x, whose clock is set forward and
// which is asked for a fault, by several at once.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freePort } from '../../src/http/port-check.ts';
import { json, start, succeed } from '../commands/fixture.ts';
import { newDatabase } from '../contract/new-database.ts';
import { notInThisRun, onOtherEngine } from '../contract/rounds.ts';
import { demoPlace, type Published, untilSo } from './outside/server.ts';

const serverUrl = process.env.TEST_DATABASE_URL;
const on = serverUrl === undefined ? 'SQLite' : 'a PostgreSQL server';
const hourMs = 3_600_000;

describe(`the demonstration at 60x on ${on}, by HTTP`, {
  skip: onOtherEngine() || notInThisRun(1),
  timeout: 600_000,
}, () => {
  it('lives as fast as it is told to, and is set forward once for each request, whichever worker has it', async (t) => {
    const variables: Record<string, string> =
      serverUrl === undefined ? {} : { DATABASE_URL: await newDatabase(t, serverUrl) };
    const port = await freePort('127.0.0.1', 0);
    const place = demoPlace(t, { ...variables, PORT: String(port), WORKERS: '3' });
    const child = start(t, place, 'serve', '--demo', '--clock', '60x', '--json');
    await child.seen('"baseUrl"');
    const { key } = await json<{ key: string }>(place, 'key', 'add', 'lab', '--all', '--role', 'operations');
    // A connection of its own each: they go to the workers in turn.
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' };
    const ask = async (path: string, body?: object): Promise<Published> => {
      const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const answer = await fetch(`http://127.0.0.1:${port}/platform/demonstration${path}`, { headers, ...sent });
      const text = await answer.text();
      assert.equal(answer.status, body === undefined ? 200 : 202, text);
      return JSON.parse(text);
    };
    const status = (): Promise<Published> => ask('');
    await untilSo(async () => (await status()).speed === 60);
    const begun = await status();
    await untilSo(async () => Date.parse(String((await status()).deliveredTo)) > Date.parse(String(begun.deliveredTo)));

    await Promise.all([
      ...[5, 7, 9].map((hours) => ask('/advance', { hours })),
      ask('/faults', { fault: 'carrier-down', activityCode: 'BEL' }),
      // A command has its own way into the same queue.
      succeed(place, 'demo', 'advance', '4h'),
    ]);
    const advancesOf = ({ advances }: Published): readonly Published[] => (Array.isArray(advances) ? advances : []);
    await untilSo(async () => advancesOf(await status()).every(({ state }) => state === 'done'));
    const done = await status();
    const all = advancesOf(done).toReversed();
    assert.deepEqual(
      all.map(({ hours }) => Number(hours)).toSorted((one, other) => one - other),
      [4, 5, 7, 9],
    );
    for (const [index, { from, to, hours }] of all.entries()) {
      assert.equal(Date.parse(String(to)) - Date.parse(String(from)), Number(hours) * hourMs);
      const before = all[index - 1];
      if (before !== undefined)
        assert.ok(Date.parse(String(from)) >= Date.parse(String(before.to)), 'one after another');
    }
    assert.ok(Date.parse(String(done.clock)) - Date.parse(String(begun.clock)) >= 25 * hourMs);
    const { happened } = done;
    assert.ok(
      Array.isArray(happened) &&
        happened.some(
          ({ code, activityCode, fields }) =>
            `${code} ${activityCode} ${fields.fault}` === 'fault-asked BEL carrier-down',
        ),
    );
    child.signal('SIGTERM');
    assert.equal((await child.ended).code, 0);
  });
});
