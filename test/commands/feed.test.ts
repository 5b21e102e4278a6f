// Refused lines on the command line: they are listed, written to a file, mended and dropped.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { feedMessageTable } from '../../src/store/tables/feeds.ts';
import { changeRows } from '../contract/database.ts';
import { addRefusedLines } from '../feeds/refused-lines.ts';
import { json, type Place, run, succeed, temporaryFolder } from './fixture.ts';

async function placeWithLines(t: TestContext): Promise<Place & { readonly folder: string }> {
  const folder = temporaryFolder(t);
  await succeed({ folder }, 'activity', 'add', 'ACM', 'Acme');
  const store = await openStore({ dataDir: join(folder, 'data'), databaseUrl: null }, definitions);
  await addRefusedLines(store, 'ACM', 1, 3);
  await addRefusedLines(store, 'ACM', 2, 150);
  await store.close();
  return { folder };
}

describe('the commands feed lines, edit, replay and drop', () => {
  it('refuse what is no line, no message and no record', async (t) => {
    const place = await placeWithLines(t);
    writeFileSync(join(place.folder, 'wrong.json'), '{"movedQuantity":"many"}');
    const cases: readonly (readonly [args: readonly string[], message: RegExp])[] = [
      [['lines', 'ACM'], /is no message: one is called ACM:17/],
      [['lines', '--limit', '0'], /number from 1/],
      [['lines', '--activity', 'XXX'], /XXX/],
      [['lines', '--state', 'lost'], /refused, dropped, replayed/],
      [['edit', 'ACM:1', 'wrong.json'], /is no line/],
      [['edit', 'ACM:9:1', 'wrong.json'], /There is no refused line ACM:9:1/],
      [['edit', 'ACM:1:1', 'missing.json'], /cannot be read/],
      [['edit', 'ACM:1:1', 'wrong.json'], /\/movedQuantity: .* Nothing was changed/],
      [['drop', 'ACM:1:9'], /no refused line/],
      [['drop', 'ACM:7'], /There is no message ACM:7\. See `feed messages`/],
      [['replay', 'ACM:7'], /There is no message ACM:7/],
      [['lines', 'ACM:7'], /There is no message ACM:7/],
      [['lines', 'ACM:7', '--json'], /There is no message ACM:7/],
      [['show', 'ACM:7'], /There is no message ACM:7/],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await run(place, 'feed', ...args);
      assert.notEqual(code, 0, args.join(' '));
      assert.match(stderr, message, args.join(' '));
    }
    assert.equal(Object(await json(place, 'feed', 'lines', 'ACM:1', '--limit', '1')).edited, null);
  });

  it('list lines with their first reason, page after page, and write whole ones to a file', async (t) => {
    const place = await placeWithLines(t);
    const listed = (await succeed(place, 'feed', 'lines', '--limit', '120')).split('\n');
    assert.equal(listed.filter((line) => line.startsWith('ACM:')).length, 120);
    assert.match(listed[1] ?? '', /^ACM:1:1\tmovements\tfile-1\.ndjson:1\t\/movedQuantity: must be a number\t/);
    const file = await succeed(place, 'feed', 'lines', 'ACM:2', '--ndjson', '--limit', '1000');
    const records = file.trimEnd().split('\n');
    assert.equal(records.length, 150);
    for (const record of records) assert.ok(Array.isArray(JSON.parse(record).reasons));
  });

  it('end a message that was cut, which the doctor names', async (t) => {
    const place = await placeWithLines(t);
    const store = await openStore({ dataDir: join(place.folder, 'data'), databaseUrl: null }, definitions);
    await changeRows(store, feedMessageTable, { state: 'open' }, { id: 1 });
    await store.close();
    const doctor = async (): Promise<string> => (await run(place, 'doctor')).stdout;
    assert.match(
      await doctor(),
      /warning\s+feeds\s+1 message of feed main \(movements of ACM\) ended before all lines/,
    );
    assert.match(await succeed(place, 'feed', 'messages', '--state', 'open'), /^ACM:1\t/m);
    assert.equal(
      await succeed(place, 'feed', 'end', 'ACM:1'),
      'Message ACM:1 is ended. What was written of it stays.\n',
    );
    assert.equal(JSON.parse(await succeed(place, 'feed', 'show', 'ACM:1')).fault.code, 'ended-by-operator');
    assert.match(await succeed(place, 'audit', '--action', 'feed.end'), /ACM:1/);
    for (const [id, told] of [
      ['ACM:1', /had ended before/],
      ['ACM:9', /There is no message ACM:9/],
      ['ACM', /is no message/],
    ] as const) {
      const { code, stderr } = await run(place, 'feed', 'end', id);
      assert.notEqual(code, 0);
      assert.match(stderr, told);
    }
  });

  it('keep a mended record, and drop a line, or all of a message', async (t) => {
    const place = await placeWithLines(t);
    writeFileSync(join(place.folder, 'mended.json'), '{"articleReference":"A1","movedQuantity":4}');
    await succeed(place, 'feed', 'edit', 'ACM:1:1', 'mended.json');
    assert.deepEqual(Object(await json(place, 'feed', 'lines', 'ACM:1', '--limit', '1')).edited, {
      articleReference: 'A1',
      movedQuantity: 4,
    });
    assert.match(await succeed(place, 'feed', 'drop', 'ACM:1:2'), /1 line is dropped/);
    assert.match((await run(place, 'feed', 'drop', 'ACM:1:2')).stderr, /not refused any more/);
    assert.match(await succeed(place, 'feed', 'drop', 'ACM:1'), /2 lines are dropped/);
    assert.match(await succeed(place, 'feed', 'lines', 'ACM:1'), /no refused lines/);
    for (const again of ['drop', 'replay'])
      assert.match((await run(place, 'feed', again, 'ACM:1')).stderr, /The message ACM:1 has no refused lines/);
    assert.match(await succeed(place, 'audit', '--action', 'feed.drop'), /feed\.drop/);
  });

  it('replay what an import refused, once it is mended', async (t) => {
    const folder = temporaryFolder(t);
    const place = { folder };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    const wrong = { articleReference: 'A1', movedQuantity: 'many' };
    writeFileSync(join(folder, 'mvt.ndjson'), `${JSON.stringify(wrong)}\n${JSON.stringify({ movedQuantity: 1 })}\n`);
    const imported = await run(place, 'import', 'movements', 'mvt.ndjson', '--activity', 'ACM', '--json');
    const { message } = JSON.parse(imported.stdout);
    assert.equal((await run(place, 'feed', 'replay', message)).code, 3);
    const [, again = ''] = /(ACM:\d+):1/.exec(await succeed(place, 'feed', 'lines')) ?? [];
    writeFileSync(join(folder, 'mended.json'), '{"articleReference":"A1","movedQuantity":4}');
    await succeed(place, 'feed', 'edit', `${again}:1`, 'mended.json');
    assert.match(await succeed(place, 'feed', 'replay', `${again}:1`), /1 line replayed: 1 new/);
    assert.match((await run(place, 'feed', 'replay', `${again}:1`)).stderr, /not refused any more/);
    assert.match((await run(place, 'feed', 'replay', message)).stderr, /no refused lines/);
    assert.match((await run(place, 'feed', 'replay', 'ACM')).stderr, /no line and no message/);
    assert.match(await succeed(place, 'audit', '--action', 'feed.replay'), /feed\.replay/);
    const none = await run(place, 'feed', 'lineage', 'movements', 'id=1', '--activity', 'ACM');
    assert.match(none.stderr, /no such record/);
    const unnamed = await run(place, 'feed', 'lineage', 'movements', '1', '--activity', 'ACM');
    assert.match(unnamed.stderr, /no property=value/);
    const order = '{"orderUniqueID":"W1","orderEntries":[]}\n';
    writeFileSync(join(folder, 'orders.ndjson'), order);
    await succeed(place, 'import', 'orders', 'orders.ndjson', '--activity', 'ACM');
    const told = await succeed(place, 'feed', 'lineage', 'orders', 'orderUniqueID=W1', '--activity', 'ACM');
    assert.match(told, /by line 1 of .*orders\.ndjson, message ACM:\d+, command, received at/);
    // Its time is over, and the next message of the feed is the one that is kept whole.
    writeFileSync(join(folder, 'more.ndjson'), '{"orderUniqueID":"W2"}\n');
    await succeed(place, 'import', 'orders', 'more.ndjson', '--activity', 'ACM');
    const store = await openStore({ dataDir: join(folder, 'data'), databaseUrl: null }, definitions);
    await store.feedRemoval.removeOld('ACM', Date.now() + 60_000);
    await store.close();
    const left = await succeed(place, 'feed', 'lineage', 'orders', 'orderUniqueID=W1', '--activity', 'ACM');
    assert.match(left, /by line 1, message ACM:\d+, command, received at \S+; its file and id are no longer kept/);
  });

  it('list feeds and messages with their counts, and show one', async (t) => {
    const folder = temporaryFolder(t);
    const place = { folder };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    writeFileSync(join(folder, 'mvt.ndjson'), '{"articleReference":"A1","movedQuantity":1}\n{"movedQuantity":"x"}\n');
    await run(place, 'import', 'movements', 'mvt.ndjson', '--activity', 'ACM');
    const row = /ACM\tmovements\tmain\tACM:1\tdone\t1\t\S+\t\t\n/;
    assert.match(await succeed(place, 'feed', 'list'), row);
    const listed = await succeed(place, 'feed', 'messages', '--resource', 'movements', '--state', 'done');
    assert.match(listed, /^ACM:1\tmovements\tmain\tcommand\tdone\t2\t1\t0\t0\t1\t\S+\t.*mvt\.ndjson$/m);
    assert.equal((await succeed(place, 'feed', 'messages', '--state', 'open')).trim().split('\n').length, 1);
    assert.deepEqual(JSON.parse(await succeed(place, 'feed', 'show', 'ACM:1')).counts.refused, 1);
    assert.match((await run(place, 'feed', 'show', 'ACM:2')).stderr, /no message ACM:2/);
    assert.match((await run(place, 'feed', 'show', 'ACM')).stderr, /is no message/);
    assert.match((await run(place, 'feed', 'messages', '--limit', '0')).stderr, /number from 1/);
    assert.match((await run(place, 'feed', 'list', '--activity', 'XXX')).stderr, /XXX/);
  });
});
