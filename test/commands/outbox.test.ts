// The outbox on the command line: who has come how far, and files that appear exactly once whatever happens to the
// export.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { documentName } from '../../src/documents/names.ts';
import { openDocumentStorage } from '../../src/documents/open.ts';
import { article, definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { articleRecord, linesIn, positionsOf, takeFiles } from '../platform/export-fixture.ts';
import { json, type Place, run, start, succeed, temporaryFolder } from './fixture.ts';
import { joined } from '../contract/joined.ts';
import { rounds } from '../contract/rounds.ts';

interface Filled extends Place {
  readonly store: Store;
  readonly out: string;
  readonly taken: string;
  write(activity: string, ...references: readonly string[]): Promise<void>;
  attach(activity: string, bytes: string): Promise<void>;
}
interface Exported {
  readonly consumer: string;
  readonly entries: number;
  readonly documents: number;
  readonly files: readonly { readonly activityCode: string; readonly file: string; readonly entries: number | null }[];
}
interface Consumer {
  readonly consumer: string;
  readonly activityCode: string;
  readonly delivered: number;
  readonly acknowledged: number;
  readonly waiting: number;
  readonly interruptedExport: string | null;
}

/** A database with activities, and a folder that the warehouse looks at. */
async function filledPlace(t: TestContext, codes: readonly string[] = ['ACM', 'BLU']): Promise<Filled> {
  const folder = temporaryFolder(t);
  for (const code of codes) await succeed({ folder }, 'activity', 'add', code, code);
  const dataDir = join(folder, 'data');
  const store = await openStore({ dataDir, databaseUrl: null }, definitions);
  t.after(() => store.close());
  const documents = await openDocumentStorage(
    { dataDir, documentsUrl: null, awsAccessKeyId: null, awsSecretAccessKey: null, awsSessionToken: null },
    { database: store.epoch, failed: assert.ifError },
  );
  const [out, taken] = [join(folder, 'out'), join(folder, 'taken')];
  for (const made of [out, taken]) mkdirSync(made);
  return {
    folder,
    store,
    out,
    taken,
    write: async (activity, ...references) =>
      void (await store.records.submit([activity], (unit) =>
        unit.write(article, activity, references.map(articleRecord), 'op'),
      )),
    attach: async (activity, bytes) => {
      const received = await documents.receive(Readable.from([Buffer.from(bytes)]), { size: 1000 });
      const storedAs = documentName(activity, 'pdf', Date.now());
      await received.keep(storedAs);
      await store.records.submit([activity], (unit) =>
        unit.addDocument({
          activity,
          orderId: 'O1',
          orderUniqueId: null,
          slug: 'invoice',
          sha256: received.sha256,
          mediaType: 'application/pdf',
          size: received.size,
          fileName: null,
          storedAs,
          operationId: 'op',
          clientId: 'shop',
        }),
      );
    },
  };
}

const visible = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .toSorted();

describe('outbox list and forget', () => {
  it('shows how far each consumer has come in each activity', async (t) => {
    const place = await filledPlace(t);
    await place.write('ACM', 'A1', 'A2', 'A3');
    await place.store.outbox.noteDelivered('wms', { ACM: 2 });
    await place.store.outbox.acknowledge('wms', { ACM: 1 });
    const [headings, row, end] = (await succeed(place, 'outbox', 'list')).split('\n');
    assert.equal(headings, 'CONSUMER\tACTIVITY\tDELIVERED\tACKNOWLEDGED\tWAITING\tWAITING SINCE\tLAST CHANGE');
    assert.match(row ?? '', /^wms\tACM\t2\t1\t2(\t\d{4}-\d\d-\d\dT\d\d:\d\dZ){2}$/);
    assert.equal(end, '');
    const [consumer] = await json<readonly Consumer[]>(place, 'outbox', 'list');
    assert.deepEqual(
      { ...consumer, waitingSince: null, lastChangeAt: null },
      {
        consumer: 'wms',
        activityCode: 'ACM',
        delivered: 2,
        acknowledged: 1,
        waiting: 2,
        waitingSince: null,
        lastChangeAt: null,
        interruptedExport: null,
      },
    );
  });

  it('tells of what has waited for more than a week, for a consumer or for nobody, and how to end that', async (t) => {
    const place = await filledPlace(t);
    await place.write('ACM', 'A1', 'A2');
    await place.write('BLU', 'B1');
    await place.store.outbox.noteDelivered('old-wms', { ACM: 1 });
    await place.store.outbox.noteDelivered('wms', { ACM: 2 });
    await place.store.outbox.acknowledge('wms', { ACM: 2 });
    const day = 86_400_000;
    assert.equal((await run({ ...place, now: () => Date.now() + 6.9 * day }, 'outbox', 'list')).stderr, '');
    const { code, stdout, stderr } = await run({ ...place, now: () => Date.now() + 7.1 * day }, 'outbox', 'list');
    assert.deepEqual([code, stdout.split('\n').length], [0, 4]);
    const [held, untaken, end] = stderr.split('\n');
    assert.match(
      held ?? '',
      joined(
        /^The consumer old-wms does not acknowledge 2 entries of ACM, the oldest of \d{4}-.*; /,
        /they are kept until it does\. .*\.\/logistics-connect outbox forget old-wms$/,
      ),
    );
    assert.match(
      untaken ?? '',
      /^Nobody takes what clients write: 1 entry of BLU, .*key add --help.*outbox export --help\.$/,
    );
    assert.equal(end, '');
  });

  it('refuses to forget a consumer that is not there', async (t) => {
    const place = await filledPlace(t);
    const { code, stderr } = await run(place, 'outbox', 'forget', 'nobody');
    assert.equal(code, 1);
    assert.match(stderr, /There is no consumer "nobody"/);
  });

  it('forgets a consumer in all activities, and says so in the audit trail', async (t) => {
    const place = await filledPlace(t);
    await place.store.outbox.noteDelivered('wms', { ACM: 0, BLU: 0 });
    await place.store.outbox.noteDelivered('bi', { ACM: 0 });
    assert.match(await succeed(place, 'outbox', 'forget', 'wms'), /The consumer wms is forgotten/);
    assert.deepEqual(
      (await json<readonly Consumer[]>(place, 'outbox', 'list')).map(({ consumer }) => consumer),
      ['bi'],
    );
    assert.match(
      await succeed(place, 'audit', '--action', 'outbox.forget'),
      /olga\toutbox\.forget\taccepted\tACM BLU\twms/,
    );
  });
});

describe('outbox export', () => {
  const wrong: readonly (readonly [options: readonly string[], said: RegExp])[] = [
    [[], /Required option '--to <folder>' not specified/],
    [['--to', '.', '--every', '0'], /--every takes seconds, from 1 to 86400/],
    [['--to', '.', '--every', 'hour'], /--every takes seconds/],
    [['--to', '.', '--consumer', ''], /--consumer takes 1 to 40 letters/],
    [['--to', '.', '--consumer', '../x'], /--consumer takes 1 to 40 letters/],
  ];
  for (const [options, said] of wrong) {
    it(`${options.join(' ') || 'without a folder'} is wrong usage`, async (t) => {
      const { code, stderr } = await run({ folder: temporaryFolder(t) }, 'outbox', 'export', ...options);
      assert.equal(code, 2);
      assert.match(stderr, said);
    });
  }

  it('refuses an activity that does not exist, and a folder that is not there', async (t) => {
    const place = await filledPlace(t);
    assert.match(
      (await run(place, 'outbox', 'export', '--to', 'out', '--activity', 'ACM', 'NOP')).stderr,
      /There is no activity "NOP"/,
    );
    assert.match(
      (await run(place, 'outbox', 'export', '--to', 'oot')).stderr,
      /There is no folder .*oot\. Make it first/,
    );
  });

  it('has nothing to do, and that is fine', async (t) => {
    const place = await filledPlace(t);
    assert.equal(await succeed(place, 'outbox', 'export', '--to', 'out'), 'Nothing waits for files.\n');
    assert.deepEqual(visible(place.out), []);
    assert.equal(await succeed(place, 'audit', '--action', 'outbox.export', '--json'), '');
  });

  it('writes what waits, documents beside it, tells what it did, and leaves an entry in the audit trail', async (t) => {
    const place = await filledPlace(t);
    await place.write('ACM', 'A1', 'A2');
    await place.attach('BLU', '%PDF-1.4 one');
    assert.equal(
      await succeed(place, 'outbox', 'export', '--to', 'out', '--activity', 'ACM'),
      `1 file with 2 entries and 0 documents in ${place.out} for files.\n`,
    );
    const told = await json<Exported>(place, 'outbox', 'export', '--to', place.out);
    assert.deepEqual(told, {
      consumer: 'files',
      folder: place.out,
      entries: 1,
      documents: 1,
      files: [{ activityCode: 'BLU', file: 'BLU-000000000001-000000000001.ndjson', entries: 1, documents: 1 }],
    });
    assert.deepEqual(positionsOf(linesIn(place.out)), ['ACM:1', 'ACM:2', 'BLU:1']);
    const [document] = visible(join(place.out, 'documents'));
    assert.equal(readFileSync(join(place.out, 'documents', document ?? ''), 'utf8'), '%PDF-1.4 one');
    const [entry] = (await succeed(place, 'audit', '--json', '--action', 'outbox.export')).split('\n');
    assert.deepEqual(JSON.parse(entry ?? '').details, {
      folder: place.out,
      file: 'BLU-000000000001-000000000001.ndjson',
      position: 'BLU:1',
      entries: 1,
      documents: 1,
    });
  });

  it('gives every consumer everything, each in a folder of its own', async (t) => {
    const place = await filledPlace(t);
    await place.write('ACM', 'A1');
    mkdirSync(join(place.folder, 'bi'));
    await succeed(place, 'outbox', 'export', '--to', 'out');
    assert.match(
      (await run(place, 'outbox', 'export', '--to', 'out', '--consumer', 'bi')).stderr,
      /Another consumer or another database exports to .*out/,
    );
    await succeed(place, 'outbox', 'export', '--to', 'bi', '--consumer', 'bi');
    assert.deepEqual(visible(join(place.folder, 'bi')), visible(place.out));
  });

  it('shows on a terminal how far it is, and leaves the line', async (t) => {
    const place = await filledPlace(t);
    await place.write('ACM', 'A1');
    const { stderr } = await run({ ...place, terminal: true }, 'outbox', 'export', '--to', 'out');
    assert.ok(stderr.endsWith('\r\u001b[KACM: 1 file, 1 entry\r\u001b[K'), stderr);
  });

  it('ends with 130 when it is interrupted, and goes on the next time', async (t) => {
    const place = await filledPlace(t);
    await place.write('ACM', 'A1');
    const stop = new AbortController();
    stop.abort();
    const { code, stderr } = await run({ ...place, signal: stop.signal }, 'outbox', 'export', '--to', 'out');
    assert.equal(code, 130);
    assert.match(stderr, /Interrupted: .* Run it again to go on\./);
    await succeed(place, 'outbox', 'export', '--to', 'out');
    assert.deepEqual(positionsOf(linesIn(place.out)), ['ACM:1']);
  });

  it('runs on with --every, alone for its consumer, past a failing round, until it is interrupted', async (t) => {
    const place = await filledPlace(t);
    await place.write('ACM', 'A1');
    const child = start(t, place, 'outbox', 'export', '--to', 'out', '--every', '1', '--json');
    await child.seen('ACM-000000000001-000000000001.ndjson');
    for (const line of [
      ['outbox', 'export', '--to', 'out'],
      ['outbox', 'forget', 'files'],
    ]) {
      const { code, stderr } = await run(place, ...line);
      assert.equal(code, 1);
      assert.match(stderr, /export for the consumer files is running/);
    }
    const foreign = join(place.out, 'ACM-000000000002-000000000002.ndjson');
    writeFileSync(foreign, '');
    await place.attach('ACM', '%PDF-1.4');
    await place.store.activities.add('NEW', 'New');
    await place.write('NEW', 'N1');
    await child.seen('is there already, and is not from this export');
    await child.seen('NEW-000000000001-000000000001.ndjson');
    rmSync(foreign);
    await child.seen('"file":"ACM-000000000002-000000000002.ndjson"');
    child.signal('SIGTERM');
    const { code } = await child.ended;
    assert.equal(code, 0);
    assert.deepEqual(positionsOf(linesIn(place.out)), ['ACM:1', 'ACM:2', 'NEW:1']);
  });
});

describe('an export that is killed', () => {
  it('again and again, while clients write and the warehouse takes files, loses and repeats nothing', {
    timeout: 900_000,
  }, async (t) => {
    const codes = Array.from({ length: 24 }, (_, index) => `K${index.toString(36).toUpperCase()}`);
    const place = await filledPlace(t, codes);
    let written = 0;
    for (let round = 0; round < rounds(14); round += 1) {
      for (const code of codes) {
        await place.write(code, `A${round}`);
        written += 1;
      }
      await place.attach(codes[round] ?? 'K0', `%PDF ${round}`);
      written += 1;
      const child = start(t, place, 'outbox', 'export', '--to', 'out');
      // Killed at any moment from its first sign on.
      const before = visible(place.out).length + visible(place.taken).length;
      while (!child.hasEnded() && visible(place.out).length + visible(place.taken).length === before) await pause(1);
      const until = performance.now() + randomInt(150);
      while (performance.now() < until) {
        if (round % 2 === 0) takeFiles(place.out, place.taken);
        await pause(1);
      }
      child.signal('SIGKILL');
      await child.ended;
    }
    await succeed(place, 'outbox', 'export', '--to', 'out');
    takeFiles(place.out, place.taken);
    const lines = linesIn(place.taken);
    assert.equal(new Set(positionsOf(lines)).size, lines.length, 'no entry came twice');
    assert.equal(lines.length, written, 'no entry was lost');
    for (const { kind, content } of lines)
      if (kind === 'document') assert.match(readFileSync(join(place.taken, String(content)), 'utf8'), /^%PDF \d+$/);
    assert.deepEqual(
      (await json<readonly Consumer[]>(place, 'outbox', 'list')).filter(
        ({ waiting, interruptedExport }) => waiting > 0 || interruptedExport !== null,
      ),
      [],
    );
    assert.deepEqual(readdirSync(place.out).toSorted(), ['.outbox-export.json', 'documents']);
  });
});
