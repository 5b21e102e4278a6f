// The commands `backup`, `restore` and `export` with document files in S3, as an operator runs them: killed half way
// and run again, with files that are missing, and with a store that fails.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { createS3Storage } from '../../src/documents/s3.ts';
import type { S3Place } from '../../src/documents/s3-place.ts';
import type { DocumentStorage } from '../../src/documents/storage.ts';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { addDocuments, startProxy } from '../backup/s3-fixture.ts';
import { kept } from '../documents/contract.ts';
import { skip, startSwift, type Swift, swiftKey } from '../documents/swift.ts';
import { type Child, json, type Place, run, start, succeed, temporaryFolder } from './fixture.ts';

describe('backup and restore of document files in S3', { skip, timeout: 900_000 }, () => {
  let swift: Swift;
  before(async () => {
    swift = await startSwift();
  });
  after(() => swift.stop());

  it('that are killed leave nothing that is called whole, and the same again is', async (t) => {
    let child: Child | null = null;
    let victim: 'GET' | 'PUT' | null = null;
    const proxy = await startProxy(t, swift.port, (method, url) => {
      if (method !== victim || !url.includes('.pdf')) return undefined;
      if (proxy.requests(method).filter((each) => each.includes('.pdf')).length % 4 !== 2) return undefined;
      child?.signal('SIGKILL');
      return 'reset';
    });
    const source = { ...(await swift.bucket('killed-source')), endpoint: proxy.endpoint };
    const { place, names } = await placeWithDocuments(t, source);
    const backup = join(place.folder, 'backup');
    const killed = async (of: Place, ...words: readonly string[]): Promise<void> => {
      child = start(t, of, ...words);
      child.end();
      assert.equal((await child.ended).code, null, 'it was killed');
      victim = null;
    };
    victim = 'GET';
    await killed(place, 'backup', '--to', backup);
    const [part = '', ...more] = readdirSync(place.folder).filter((name) => name.startsWith('backup'));
    assert.match(part, /^backup\.[0-9a-f]{8}\.part$/);
    assert.deepEqual(more, []);
    assert.match((await run(place, 'restore', part, '--check')).stderr, /it is no whole backup/);
    const again = await run(place, 'backup', '--to', backup);
    assert.deepEqual([again.code, again.stderr.includes(`${part} is unfinished: remove it`)], [0, true], again.stderr);
    assert.match(await succeed(place, 'restore', backup, '--check'), /^Whole and readable: .* 3 document files\.\n$/);
    const other = { ...(await swift.bucket('killed-target')), endpoint: proxy.endpoint };
    const target = { folder: temporaryFolder(t), variables: variablesOf(other) };
    const before = proxy.requests('PUT').filter((url) => url.includes('.pdf')).length;
    assert.equal(before, 3);
    victim = 'PUT';
    // The sixth upload of all: two of the restore are done.
    await killed(target, 'restore', backup);
    assert.match(await succeed(target, 'restore', backup), /^Restored the backup of .* 3 document files\./);
    const uploads = proxy.requests('PUT').filter((url) => url.includes('killed-target') && url.includes('.pdf'));
    assert.equal(uploads.length, 4, 'two, the one that was killed, and this one again');
    const storage = storageIn(t, other);
    for (const name of names) assert.equal(String(await buffer((await storage.open(name)).stream)), `of ${t.name}`);
  });

  it('say how many files the store has not, each time', async (t) => {
    const bucket = await swift.bucket('lacking');
    const { place, names } = await placeWithDocuments(t, bucket);
    const [lost = ''] = names;
    await storageIn(t, bucket).remove(lost);
    const backup = join(place.folder, 'backup');
    for (const words of [
      ['backup', '--to', backup],
      ['restore', backup, '--check'],
      ['export', '--activity', 'ACM', '--to', join(place.folder, 'acm')],
    ]) {
      const { code, stdout, stderr } = await run(place, ...words);
      assert.equal(code, 0);
      assert.match(stdout, /\b2 document files/);
      assert.match(stderr, /^1 document files that the database names were not in their storage; manifest\.json/);
    }
    const told = await json<{ missingDocuments: unknown }>(place, 'restore', backup, '--check');
    assert.deepEqual(told.missingDocuments, [lost]);
  });

  it('end with the reason where the store fails, and show no secret', async (t) => {
    const bucket = await swift.bucket('failing');
    const { place } = await placeWithDocuments(t, bucket);
    const proxy = await startProxy(t, swift.port, () => '503');
    const away = { ...place, variables: variablesOf({ ...bucket, endpoint: proxy.endpoint }) };
    const wrong = { ...place, variables: { ...variablesOf(bucket), AWS_SECRET_ACCESS_KEY: 'very-secret-words' } };
    for (const [of, said] of [
      [away, /The storage of the document files does not work: ACM\/.* cannot be read: .*503.* doctor/],
      [wrong, /The storage of the document files does not work: ACM\/.* SignatureDoesNotMatch 403.* doctor/],
    ] as const)
      for (const words of [['backup'], ['export', '--activity', 'ACM']]) {
        const { code, stderr } = await run(of, ...words, '--to', join(place.folder, 'x'));
        assert.equal(code, 1);
        assert.match(stderr, said);
        assert.doesNotMatch(stderr, /very-secret|Signature=|Credential/);
        assert.deepEqual(
          readdirSync(place.folder).filter((name) => name.startsWith('x')),
          [],
        );
      }
  });
});

/** A database with the activity ACM and three documents, whose files are in the bucket. */
async function placeWithDocuments(t: TestContext, bucket: S3Place) {
  const place = { folder: temporaryFolder(t), variables: variablesOf(bucket) };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  const storage = storageIn(t, bucket);
  const names: string[] = [];
  while (names.length < 3) names.push(await kept(storage, Buffer.from(`of ${t.name}`)));
  const store = await openStore(readConfig(place.variables, place.folder), definitions);
  await addDocuments(store.engine, names);
  await store.close();
  return { place, names };
}

function variablesOf({ bucket, prefix, endpoint }: S3Place): Readonly<Record<string, string>> {
  return {
    DOCUMENTS_URL: `s3://${bucket}/${prefix}?endpoint=${endpoint}`,
    AWS_ACCESS_KEY_ID: swiftKey.accessKeyId,
    AWS_SECRET_ACCESS_KEY: swiftKey.secretAccessKey,
  };
}

/** Straight to the bucket. The mark that it leaves names no database of these tests; a backup does not ask for it. */
function storageIn(t: TestContext, place: S3Place): DocumentStorage {
  const incomingFolder = join(temporaryFolder(t), 'incoming');
  return createS3Storage({ place, key: swiftKey, incomingFolder, database: 'test', failed: () => undefined });
}
