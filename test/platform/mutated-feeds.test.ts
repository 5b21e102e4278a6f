// Bodies of feeds that were damaged in every way: an answer that is no fault of ours, and no line unaccounted for.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import type { Resource } from '../../src/model/resource.ts';
import { problems } from '../../src/model/problem.ts';
import { resources } from '../../src/resources/index.ts';
import { sql } from '../../src/store/statement.ts';
import { countRows } from '../../src/store/table-statements.ts';
import { feedLineTable, feedMessageTable } from '../../src/store/tables/feeds.ts';
import { rowsIn } from '../contract/database.ts';
import { engines } from '../contract/engines.ts';
import { seedsAnywhere } from '../contract/rounds.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';
import { mutated, type Random, randomOf } from '../feeds/mapping/mutation.ts';

const seeds = seedsAnywhere(10_000, 100);
/** Bodies that are under way at a time: the thread of the server and that of storage, or its server, work at once. */
const inFlight = 8;

for (const engine of engines) {
  describe(`damaged feeds on ${engine.name}`, { skip: engine.skip, timeout: 900_000 + 60 * seeds.length }, () => {
    let running: RunningApp;
    let send: (request: Sent) => Promise<Heard>;
    let key: string;
    before(async () => {
      running = await startApp(engine, { RATE_PLATFORM: '0', MAX_FEEDS: String(2 * inFlight) });
      const { app } = running;
      const wanted = { name: 'wms', activityCodes: ['NOR'], roles: ['feed'] } as const;
      key = (await addPlatformKey(app.store, wanted, Date.now())).text;
      await app.server.listen({ host: '127.0.0.1', port: 0 });
      const { port } = app.server.server.address() as AddressInfo;
      send = (request) => exchange(port, request);
    });
    after(() => running.close());

    it('are answered, and each of their lines is a record or is refused', async (t) => {
      const statuses: Record<number, number> = {};
      const check = async (seed: number): Promise<void> => {
        const random = randomOf(seed);
        const resource = resources[seed % resources.length] ?? assert.fail();
        const { bytes, isPlain } = bodyOf(resource, random);
        const request = requestOf(resource, { bytes, key, seed, random });
        const heard = await send(request);
        statuses[heard.status] = (statuses[heard.status] ?? 0) + 1;
        const when = `seed ${seed}: ${heard.status} ${heard.body.slice(0, 500)}`;
        const told = JSON.parse(heard.body);
        if (heard.status !== 200) {
          assert.ok(heard.status >= 400 && heard.status < 500, when);
          const slug = String(told.type).split('/').at(-1) ?? '';
          assert.ok(Object.hasOwn(problems, slug), when);
          return;
        }
        const { counts } = told.message;
        assert.equal(counts.read, counts.new + counts.changed + counts.unchanged + counts.refused, when);
        if (isPlain && request.isWhole) assert.equal(counts.lines, linesIn(bytes), when);
        if (isPlain && bytes[firstOf(bytes)] !== 0x5b) assert.equal(counts.read + counts.skipped, counts.lines, when);
        assert.equal(told.refusedLines.length, Math.min(100, counts.refused), when);
      };
      const waiting = seeds.values();
      const sendAll = async (): Promise<void> => {
        for (const seed of waiting) await check(seed);
      };
      await Promise.all(Array.from({ length: inFlight }, sendAll));
      t.diagnostic(JSON.stringify(statuses));
      assert.ok((statuses[200] ?? 0) > seeds.length / 4, 'it is not one refusal after the other');
      await assertReconciled(running, resources);
    });
  });
}

/** What all messages say of themselves is what there is. */
async function assertReconciled({ app: { store } }: RunningApp, all: readonly Resource[]): Promise<void> {
  const messages = await rowsIn(store, feedMessageTable, { activity: 'NOR' });
  const kept = new Map(
    (
      await store.engine.read(
        sql`select message, count(*) from ${feedLineTable.quoted} where owner = ${'NOR'} group by message`,
      )
    ).map(([message, count]) => [Number(message), Number(count)]),
  );
  for (const { id, state, holder, read, added, changed, unchanged, refused } of messages) {
    assert.equal(read, added + changed + unchanged + refused, `message ${id}`);
    assert.equal(holder, null, `message ${id}: nobody is at work on it`);
    if (state !== 'refused') assert.equal(kept.get(id) ?? 0, refused, `message ${id}: what it refused is kept`);
    assert.ok(state !== 'refused' || added + changed + unchanged === 0, `message ${id}: nothing of it was written`);
  }
  for (const { name, storage, table } of all) {
    if (storage === 'images') continue;
    const [rows] = await store.engine.read(
      sql`select count(*) from ${sql.quoted(table)} where owner = ${'NOR'} and feed_message is not null`,
    );
    const added = messages.filter(({ resource }) => resource === name).reduce((sum, message) => sum + message.added, 0);
    assert.equal(Number(rows?.[0]), added, `${name}: what was new is there`);
  }
  assert.ok(((await store.engine.read(countRows(feedLineTable)))[0] ?? 0) > 0);
}

interface Heard {
  readonly status: number;
  readonly body: string;
}

interface Sent {
  readonly bytes: Buffer;
  /** Its head announces more than comes: the client ends its side of the connection. */
  readonly isCut: boolean;
  /** What the server takes for the body, decompressed, is what was made: nothing is cut, or damaged in its coding. */
  readonly isWhole: boolean;
}

/** Sends the bytes of one request and reads the answer to the end of the connection. */
function exchange(port: number, { bytes: request, isCut }: Sent): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const heard: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1' });
    // The rest of a body may come after its refusal.
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => heard.push(chunk));
    socket.setTimeout(60_000, () => socket.destroy());
    socket.on('close', () => {
      const text = Buffer.concat(heard).toString();
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1];
      const at = text.indexOf('\r\n\r\n');
      if (status === undefined) reject(new Error(`no answer to ${request.subarray(0, 400).toString('latin1')}`));
      else resolve({ status: Number(status), body: text.slice(at + 4) });
    });
    if (isCut) socket.end(request);
    else socket.write(request);
  });
}

const types = ['application/x-ndjson', 'application/json', 'text/csv', 'application/json; charset=latin1', ''];
const codings = ['gzip', 'zstd', 'br', 'identity', 'gzip, gzip'];

interface Given {
  readonly bytes: Buffer;
  readonly key: string;
  readonly seed: number;
  readonly random: Random;
}

/** Its body in a coding or as it is; now and then its head says something else of it. */
function requestOf({ name }: Resource, { bytes, key, seed, random }: Given): Sent {
  const coding = (['', '', 'gzip', 'zstd'] as const)[random(4)] ?? '';
  const coded = coding === '' ? bytes : coding === 'gzip' ? gzipSync(bytes) : zstdCompressSync(bytes);
  const sent = coding !== '' && random(5) === 0 ? mutated(coded, random) : coded;
  const type = random(12) === 0 ? types[random(types.length)] : types[random(2)];
  const said = random(15) === 0 ? codings[random(codings.length)] : coding;
  const length = random(15) === 0 ? Math.max(0, sent.length + random(9) - 4) : sent.length;
  const lines = [
    `POST /platform/feeds/${name}${random(3) === 0 ? `?messageId=m${seed}` : ''} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    `Authorization: Bearer ${key}`,
    `Content-Length: ${length}`,
    ...(type === '' ? [] : [`Content-Type: ${type}`]),
    ...(said === '' ? [] : [`Content-Encoding: ${said}`]),
  ];
  return {
    bytes: Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), sent]),
    isCut: length > sent.length,
    isWhole: sent === coded && length >= sent.length,
  };
}

/** A damaged body: its records, their lines, or its bytes. `isPlain`: its bytes are those that the server counts. */
function bodyOf(resource: Resource, random: Random): { readonly bytes: Buffer; readonly isPlain: boolean } {
  const lines = recordsOf(resource, random).map((record) => JSON.stringify(record));
  for (let times = random(3); times > 0; times -= 1) {
    const at = random(lines.length);
    lines[at] = damages[random(damages.length)]?.(lines[at] ?? '', random) ?? '';
  }
  if (random(4) === 0) lines.reverse();
  const text = random(2) === 0 ? `${lines.join('\n')}\n` : `[${lines.join(random(2) === 0 ? ',' : ',\n')}]`;
  const bytes = Buffer.from(text);
  return { bytes: random(3) === 0 ? mutated(bytes, random) : bytes, isPlain: true };
}

function recordsOf(resource: Resource, random: Random): readonly object[] {
  const { id: _id, dateCreation: _created, dateLastUpdate: _updated, ...example } = resource.example;
  const [key] = resource.key;
  const records = Array.from({ length: 1 + random(6) }, () => ({
    ...example,
    ...('activityCode' in example && resource.activityField !== null && { activityCode: 'NOR' }),
    ...('activityName' in example && { activityName: 'North Trading' }),
    ...(key !== undefined && { [key]: `K${random(40)}` }),
  }));
  const withdrawn = random(6) === 0 && key !== undefined ? [{ withdraw: { [key]: `K${random(40)}` } }] : [];
  return [...records, ...withdrawn];
}

type Damage = (line: string, random: Random) => string;

/** What is wrong with one record. */
const damages: readonly Damage[] = [
  (line) => line.replace(/:("[^"]*"|\d+)/, ':1e400'),
  (line) => line.replace(/:"[^"]*"/, ':123456789012345678901234567890'),
  (line) => line.replace(/:\d+/, ':"many"'),
  (line) => line.replace(/:"[^"]*"/, `:${'['.repeat(5000)}${']'.repeat(5000)}`),
  (line) => line.replace(/:"[^"]*"/, `:${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`),
  (line) => line.replace('{', '{"articleReference":"twice","articleReference":"twice",'),
  (line) => line.replace('{', '{"__proto__":{"a":1},"constructor":null,'),
  (line) => line.replace(/:"[^"]*"/, ':"\\ud800\\u0000"'),
  (line) => line.replace(/:"[^"]*"/, `:"${'x'.repeat(70_000)}"`),
  (line) => line.slice(0, Math.floor(line.length / 2)),
  (line, random) => line.slice(0, random(line.length + 1)) + line.slice(random(line.length + 1)),
  (line) => `${line}${line}`,
  () => '',
  () => 'null',
  () => '[]',
  () => '"a text"',
  () => '{"withdraw":{"id":1}}',
  () => '{"withdraw":null,"withdraw":{}}',
];

function firstOf(bytes: Buffer): number {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes.findIndex((byte, index) => index >= start && ![0x20, 0x09, 0x0a, 0x0d].includes(byte));
}

/** Lines of a text, the last one without an end too. */
function linesIn(bytes: Buffer): number {
  const ends = bytes.reduce((count, byte) => count + Number(byte === 0x0a), 0);
  return bytes.length > 0 && bytes.at(-1) !== 0x0a ? ends + 1 : ends;
}
