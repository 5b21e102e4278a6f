// Backups and exports whose document files lie in a real S3-compatible store: out of it, into it, and where it fails.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { exportActivity } from '../../src/backup/activity-export.ts';
import { checkExport, importActivity } from '../../src/backup/activity-import.ts';
import { makeBackup } from '../../src/backup/backup.ts';
import { checkBackup, restoreBackup } from '../../src/backup/restore.ts';
import { throwStorageFailure } from '../../src/backup/storage-failure.ts';
import { createDiskStorage } from '../../src/documents/disk.ts';
import { createS3Storage } from '../../src/documents/s3.ts';
import type { S3Place } from '../../src/documents/s3-place.ts';
import type { DocumentStorage } from '../../src/documents/storage.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import { resources } from '../../src/resources/index.ts';
import type { Engine } from '../../src/store/engine.ts';
import { isEmptyDatabase } from '../../src/store/table-copy.ts';
import { auditEntry } from '../contract/audit.ts';
import { allEngines, storeOn } from '../contract/engines.ts';
import { kept, namesOf, newName } from '../documents/contract.ts';
import { skip, startSwift, type Swift, swiftKey } from '../documents/swift.ts';
import { addDocuments, startProxy } from './s3-fixture.ts';

const nothing = (): void => undefined;
const epoch = 'the-database';
const size = 150_000;

describe('document files in S3', { skip, timeout: 900_000 }, () => {
  let swift: Swift;
  let buckets = 0;
  before(async () => {
    swift = await startSwift();
  });
  after(() => swift.stop());
  const newBucket = (): Promise<S3Place> => {
    buckets += 1;
    return swift.bucket(`backup-${buckets}`);
  };

  for (const to of ['another bucket', 'a folder'] as const)
    it(`are restored from a backup into ${to}, and nothing of others is touched`, async (t) => {
      const { folder, names, manifest } = await backedUp(t, await newBucket());
      const place = await newBucket();
      const own = ownClient(t, place);
      await own.put('of/somebody/else');
      await own.put(`${place.prefix}readme`);
      const storage = to === 'a folder' ? onDisk(join(folder, 'target')) : inS3(t, place);
      assert.equal(await restored(t, folder, storage), names.length);
      for (const [index, name] of names.entries())
        assert.deepEqual(await buffer((await storage.open(name)).stream), contentOf(index));
      assert.deepEqual((await namesOf(storage)).toSorted(), [...names].toSorted());
      assert.equal(manifest.documents?.lines, names.length);
      const before = ['of/somebody/else', `${place.prefix}readme`];
      const written = to === 'a folder' ? [] : [...names, '.database'].map((name) => place.prefix + name);
      assert.deepEqual((await own.keys()).toSorted(), [...before, ...written].toSorted());
    });

  it('are restored into S3 from a backup of a folder', async (t) => {
    const folder = temporary(t);
    const source = onDisk(join(folder, 'source'));
    const names = await keep(source, 3);
    await backup(await database(t, names), source, join(folder, 'backup'));
    const storage = inS3(t, await newBucket());
    assert.equal(await restored(t, folder, storage), 3);
    for (const [index, name] of names.entries())
      assert.deepEqual(await buffer((await storage.open(name)).stream), contentOf(index));
  });

  it('are left as they are in the same bucket, and only what is lost or damaged is written', async (t) => {
    const place = await newBucket();
    const { folder, names } = await backedUp(t, place);
    const later = await kept(inS3(t, place), Buffer.from('after the backup'));
    const puts = await startProxy(t, swift.port, () => undefined);
    const storage = inS3(t, { ...place, endpoint: puts.endpoint });
    assert.equal(await restored(t, folder, storage), 0);
    assert.deepEqual(puts.requests('PUT'), []);
    assert.deepEqual((await namesOf(storage)).toSorted(), [...names, later].toSorted());
    const [lost = '', damaged = '', cut = ''] = names;
    await storage.remove(lost);
    const own = ownClient(t, place);
    await own.put(place.prefix + damaged, Buffer.alloc(size));
    await own.put(place.prefix + cut, Buffer.alloc(10));
    assert.equal(await restored(t, folder, storage), 3);
    assert.equal(puts.requests('PUT').length, 3);
    for (const [index, name] of names.entries())
      assert.deepEqual(await buffer((await storage.open(name)).stream), contentOf(index));
  });

  it('of another database keep a restore away, which then writes nothing', async (t) => {
    const { folder } = await backedUp(t, await newBucket());
    const place = await newBucket();
    const theirs = await kept(inS3(t, place, 'another'), Buffer.from('theirs'));
    await assert.rejects(restored(t, folder, inS3(t, place)), /belong to another database/);
    assert.deepEqual((await ownClient(t, place).keys()).toSorted(), [
      `${place.prefix}.database`,
      `${place.prefix}${theirs}`,
    ]);
  });

  it('that are added and removed meanwhile leave the backup whole', async (t) => {
    const place = await newBucket();
    const storage = inS3(t, place);
    const names = await keep(storage, 4);
    const [, second = '', third = ''] = names;
    const folder = temporary(t);
    const engine = await database(t, names);
    let added = '';
    let told = 0;
    const changing: DocumentStorage = {
      ...storage,
      open: async (name) => {
        told += 1;
        if (told === 1) {
          added = await kept(storage, Buffer.from('added'));
          await storage.remove(second);
        }
        // Gone in the very moment in which it is asked for.
        if (name === third) await storage.remove(third);
        return storage.open(name);
      },
    };
    const manifest = await backup(engine, changing, join(folder, 'backup'));
    assert.deepEqual(manifest.missingDocuments, [second, third]);
    assert.equal(manifest.documents?.lines, 2);
    assert.ok(!existsSync(join(folder, 'backup', 'documents', added)));
    await checkBackup(join(folder, 'backup'), nothing);
  });

  it('are asked for again when an answer breaks off, and the copy is whole', async (t) => {
    const place = await newBucket();
    const names = await keep(inS3(t, place), 2);
    const folder = temporary(t);
    const proxy = await startProxy(t, swift.port, (method, _, count) =>
      method === 'GET' && count <= 2 ? 'cut' : undefined,
    );
    const storage = inS3(t, { ...place, endpoint: proxy.endpoint });
    const manifest = await backup(await database(t, names), storage, join(folder, 'backup'));
    assert.deepEqual([manifest.documents?.lines, manifest.missingDocuments], [2, []]);
    assert.equal(proxy.requests('GET').length, 4);
    for (const [index, name] of names.entries())
      assert.deepEqual(readFileSync(join(folder, 'backup', 'documents', name)), contentOf(index));
  });

  for (const [fault, said] of [
    ['cut', /^The storage of the document files does not work: ACM\/.*\.pdf broke off after \d+ of 150000 bytes/],
    ['503', /^The storage of the document files does not work: ACM\/.*cannot be read: .*503/],
    ['403', /^The storage of the document files does not work: ACM\/.*cannot be read: .*403/],
    ['reset', /^The storage of the document files does not work: ACM\/.*cannot be read: .*(ECONNRESET|socket hang up)/],
  ] as const)
    it(`end a backup with the reason when the store goes on failing (${fault}), and leave nothing`, async (t) => {
      const place = await newBucket();
      const names = await keep(inS3(t, place), 2);
      const [, last = ''] = names;
      const folder = temporary(t);
      const proxy = await startProxy(t, swift.port, (method, url) =>
        method === 'GET' && url.includes(last) ? fault : undefined,
      );
      const storage = inS3(t, { ...place, endpoint: proxy.endpoint });
      const engine = await database(t, names);
      await assert.rejects(
        backup(engine, storage, join(folder, 'backup')),
        (error) => error instanceof OperatorError && said.test(error.message) && /doctor/.test(error.remedy),
      );
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.startsWith('backup')),
        [],
      );
      await backup(engine, inS3(t, place), join(folder, 'backup'));
      await checkBackup(join(folder, 'backup'), nothing);
    });

  it('of a bucket that is not there end the backup: none of them is called missing', async (t) => {
    const place = await newBucket();
    const names = await keep(inS3(t, place), 1);
    const folder = temporary(t);
    const storage = inS3(t, { ...place, bucket: 'nowhere' });
    await assert.rejects(backup(await database(t, names), storage, join(folder, 'backup')), /NoSuchBucket 404/);
    assert.ok(!existsSync(join(folder, 'backup')));
  });

  it('fail a restore with the reason while there is no database yet, and the same again completes it', async (t) => {
    const { folder, names } = await backedUp(t, await newBucket());
    const place = await newBucket();
    let failing: 'PUT of the last' | 'mark' | null = 'mark';
    const proxy = await startProxy(t, swift.port, (method, url) => {
      if (failing === 'mark' && url.includes('.database')) return '503';
      return failing === 'PUT of the last' && method === 'PUT' && url.includes(names.at(-1) ?? '-') ? '503' : undefined;
    });
    const storage = inS3(t, { ...place, endpoint: proxy.endpoint });
    const engine = await emptyDatabase(t);
    const failure = (said: RegExp) => (error: unknown) => error instanceof OperatorError && said.test(error.message);
    await assert.rejects(restored(t, folder, storage, engine), failure(/does not work: the mark cannot be read.* 503/));
    failing = 'PUT of the last';
    await assert.rejects(restored(t, folder, storage, engine), failure(/does not work: ACM\/.* be kept.* 503/));
    assert.ok(await isEmptyDatabase(engine));
    failing = null;
    assert.equal(await restored(t, folder, storage, engine), 1, 'the others are there already');
    assert.deepEqual((await namesOf(storage)).toSorted(), [...names].toSorted());
  });

  it('that are damaged in the backup are found by the check, and never sent', async (t) => {
    const { folder, names } = await backedUp(t, await newBucket());
    const [first = ''] = names;
    const path = join(folder, 'backup', 'documents', first);
    const good = readFileSync(path);
    writeFileSync(path, Buffer.alloc(size, 'x'));
    await assert.rejects(checkBackup(join(folder, 'backup'), nothing), /\.pdf is damaged/);
    const storage = inS3(t, await newBucket());
    const engine = await emptyDatabase(t);
    // Damaged between the check and the restore.
    await assert.rejects(restored(t, folder, storage, engine, nothing), /was changed while it was copied/);
    assert.deepEqual(await namesOf(storage), []);
    assert.ok(await isEmptyDatabase(engine));
    writeFileSync(path, good);
    assert.equal(await restored(t, folder, storage, engine), names.length);
  });

  it('pass through in pieces both ways: a large one takes little memory', async (t) => {
    const place = await newBucket();
    const [name, large] = [newName(), Buffer.alloc(200_000_000, 'x')];
    await ownClient(t, place).put(place.prefix + name, large);
    const folder = temporary(t);
    const engine = await database(t, [name]);
    const into = inS3(t, await newBucket());
    const held = (): number => process.memoryUsage().arrayBuffers;
    const before = held();
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, held());
    }, 5);
    t.after(() => clearInterval(watch));
    await backup(engine, inS3(t, place), join(folder, 'backup'));
    assert.equal(statSync(join(folder, 'backup', 'documents', name)).size, large.length);
    await restored(t, folder, into);
    assert.equal(await into.sizeOf(name), large.length);
    t.diagnostic(`${((most - before) / 1e6).toFixed(0)} MB more than before`);
    assert.ok(most - before < 0.75 * large.length, `grew by ${most - before} bytes`);
  });

  it('go with the export of an activity, and are there when its import ends', async (t) => {
    const place = await newBucket();
    const storage = inS3(t, place);
    const own = await keep(storage, 2);
    const source = await activityWith(t, own);
    const folder = join(temporary(t), 'acm');
    const manifest = await exportActivity(
      { engine: source.engine, epoch, storage, program: '9', onRows: nothing },
      folder,
      { activity: 'ACM', resources, wanted: null, compress: false },
    );
    assert.deepEqual([manifest.documents?.lines, manifest.missingDocuments], [2, []]);
    assert.deepEqual(await checkExport(folder, 'ACM', nothing), manifest);
    const target = await activityWith(t, null);
    const other = await newBucket();
    let failing = true;
    const proxy = await startProxy(t, swift.port, (method, url) =>
      failing && method === 'PUT' && url.includes(own[1] ?? '-') ? '503' : undefined,
    );
    const into = inS3(t, { ...other, endpoint: proxy.endpoint });
    const importing = (): Promise<void> =>
      importActivity(folder, manifest, {
        ...{ engine: target.engine, activityRemoval: target.store.activityRemoval, storage: into, resources },
        ...{ now: Date.now(), audit: auditEntry('activity.import'), onRows: nothing },
      });
    await assert.rejects(importing(), /does not work: ACM\/.* be kept.* 503/);
    const codes = async (): Promise<readonly string[]> =>
      (await target.store.activities.list()).map(({ code }) => code);
    assert.deepEqual(await codes(), ['OLD'], 'nobody sees it yet');
    assert.equal((await target.store.documents.known(own)).size, own.length, 'a sweep finds rows that name the files');
    failing = false;
    await importing();
    assert.deepEqual((await codes()).toSorted(), ['ACM', 'OLD']);
    for (const [index, name] of own.entries())
      assert.deepEqual(await buffer((await into.open(name)).stream), contentOf(index));
  });

  async function backedUp(t: TestContext, place: S3Place) {
    const folder = temporary(t);
    const storage = inS3(t, place);
    const names = await keep(storage, 3);
    return { folder, names, manifest: await backup(await database(t, names), storage, join(folder, 'backup')) };
  }
});

/** Restores `FOLDER/backup` into a new database. */
async function restored(
  t: TestContext,
  folder: string,
  storage: DocumentStorage,
  engine?: Engine,
  check: (folder: string) => unknown = (path) => checkBackup(path, nothing),
): Promise<number> {
  const path = join(folder, 'backup');
  await check(path);
  const manifest = JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8'));
  const target = engine ?? (await emptyDatabase(t));
  return restoreBackup(path, manifest, { engine: target, storage, keepHistory: true, onRows: nothing });
}

function backup(engine: Engine, storage: DocumentStorage, folder: string) {
  return makeBackup({ engine, epoch, storage, program: '9', onRows: nothing }, folder);
}

function inS3(t: TestContext, place: S3Place, name = epoch): DocumentStorage {
  const incomingFolder = temporary(t);
  return createS3Storage({ place, key: swiftKey, incomingFolder, database: name, failed: throwStorageFailure });
}

function onDisk(folder: string): DocumentStorage {
  return createDiskStorage({ folder, database: epoch, failed: throwStorageFailure });
}

async function keep(storage: DocumentStorage, count: number): Promise<readonly string[]> {
  const names: string[] = [];
  for (let index = 0; index < count; index += 1) names.push(await kept(storage, contentOf(index)));
  return names;
}

function contentOf(index: number): Buffer {
  return Buffer.alloc(size, `document ${index} `);
}

function engineHere() {
  const [engine] = allEngines;
  assert.ok(engine);
  return engine;
}

async function emptyDatabase(t: TestContext): Promise<Engine> {
  const created = await engineHere().createEmpty();
  t.after(() => created.remove());
  const engine = await created.open();
  t.after(() => engine.close());
  return engine;
}

/** A database with a document row for each name. */
async function database(t: TestContext, names: readonly string[]): Promise<Engine> {
  const created = await engineHere().create();
  t.after(() => created.remove());
  const engine = await created.open();
  t.after(() => engine.close());
  await addDocuments(engine, names);
  return engine;
}

/** With the activity ACM, its documents among its rows; null: without it. */
async function activityWith(t: TestContext, names: readonly string[] | null) {
  const created = await engineHere().create();
  t.after(() => created.remove());
  const engine = await created.open();
  const store = await storeOn(engine);
  t.after(() => store.close());
  for (const code of names === null ? ['OLD'] : ['X', 'ACM']) await store.activities.add(code, code);
  if (names !== null) await addDocuments(engine, names);
  return { engine, store };
}

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'backup-s3-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What somebody else does in the bucket. */
function ownClient(t: TestContext, { bucket, endpoint, region }: S3Place) {
  const client = new S3Client({
    ...{ region, forcePathStyle: true, credentials: swiftKey },
    ...(endpoint !== null && { endpoint }),
  });
  t.after(() => client.destroy());
  return {
    put: (key: string, body: string | Buffer = 'of somebody else') =>
      client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body })),
    keys: async (): Promise<readonly string[]> => {
      const keys: string[] = [];
      let token: string | undefined;
      do {
        const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: token }));
        keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
        token = page.NextContinuationToken;
      } while (token !== undefined);
      return keys;
    },
  };
}
