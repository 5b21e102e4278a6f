// What `doctor` finds where documents are kept: on disk, in a real S3 store, and in one that refuses.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { skip, startSwift, type Swift, swiftKey } from '../documents/swift.ts';
import { type Place, run, succeed, temporaryFolder } from './fixture.ts';

interface Finding {
  readonly subject: string;
  readonly verdict: string;
  readonly message: string;
  readonly remedy: string;
}

/** The only finding about documents. */
async function documentsOf(place: Place): Promise<Finding> {
  const { stdout, stderr } = await run({ ...place, variables: { PORT: '0', ...place.variables } }, 'doctor', '--json');
  assert.doesNotMatch(stdout + stderr, /very-secret/);
  const { ok, findings }: { readonly ok: boolean; readonly findings: readonly Finding[] } = JSON.parse(stdout);
  const [found, ...more] = findings.filter(({ subject }) => subject === 'documents');
  assert.ok(found !== undefined && more.length === 0, stdout);
  assert.equal(found.remedy === '', found.verdict === 'ok');
  if (found.verdict === 'wrong') assert.equal(ok, false);
  return found;
}

async function finds(place: Place, verdict: string, said: RegExp): Promise<void> {
  const found = await documentsOf(place);
  assert.equal(found.verdict, verdict, JSON.stringify(found));
  assert.match(`${found.message} ${found.remedy}`, said);
}

async function usedPlace(t: TestContext): Promise<Place> {
  const place = { folder: temporaryFolder(t) };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  return place;
}

describe('doctor, of documents on disk', () => {
  it('finds nothing wrong before there are any, and makes nothing', async (t) => {
    const place = await usedPlace(t);
    await finds(place, 'ok', /kept in .*data\/documents/);
    assert.ok(!existsSync(join(place.folder, 'data/documents')));
    const nothing = { folder: temporaryFolder(t) };
    await finds(nothing, 'ok', /kept in/);
    assert.deepEqual(readdirSync(nothing.folder), []);
  });

  it('finds a file where their folder should be', async (t) => {
    const place = await usedPlace(t);
    writeFileSync(join(place.folder, 'data/documents'), '');
    await finds(place, 'wrong', /documents is no folder.*Move it away/);
  });

  it('finds a folder that may not be written', {
    skip: process.getuid?.() === 0 ? 'root may write everywhere' : false,
  }, async (t) => {
    const place = await usedPlace(t);
    mkdirSync(join(place.folder, 'data/documents'));
    chmodSync(join(place.folder, 'data/documents'), 0o500);
    await finds(place, 'wrong', /may not write to .*documents/);
  });

  it('finds that they belong to another database', async (t) => {
    const place = await usedPlace(t);
    mkdirSync(join(place.folder, 'data/documents'));
    writeFileSync(join(place.folder, 'data/documents/.database'), 'another\n');
    await finds(place, 'wrong', /belong to another database.*docs\/documents\.md/);
  });
});

describe('doctor, of documents in S3', () => {
  it('finds settings that are wrong', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await finds(
      { ...place, variables: { DOCUMENTS_URL: 'https://s3.example.com/bucket' } },
      'wrong',
      /begins with s3:/,
    );
    await finds(
      { ...place, variables: { DOCUMENTS_URL: 's3://bucket?region=a', AWS_ACCESS_KEY_ID: 'a' } },
      'wrong',
      /AWS_SECRET_ACCESS_KEY belong together/,
    );
  });

  it('finds that nobody answers', async (t) => {
    const variables = {
      DOCUMENTS_URL: 's3://bucket?endpoint=http://127.0.0.1:9',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'very-secret-words',
    };
    await finds({ folder: temporaryFolder(t), variables }, 'wrong', /does not answer.*ECONNREFUSED.*Check endpoint=/);
  });

  const refusals: readonly (readonly [
    what: string,
    refused: (method: string, path: string) => readonly [status: number, code: string] | null,
    said: RegExp,
  ])[] = [
    ['that the key may not list', () => [403, 'AccessDenied'], /lacks a permission.*s3:ListBucket/],
    [
      'that the key may not write',
      (method) => (method === 'PUT' ? [403, 'AccessDenied'] : null),
      /lacks a permission.*s3:PutObject/,
    ],
    [
      'that the key may not remove',
      (method) => (method === 'DELETE' ? [403, 'AccessDenied'] : null),
      /lacks a permission.*s3:DeleteObject/,
    ],
    ['that the key has expired', () => [400, 'ExpiredToken'], /refuses the key.*AWS_SESSION_TOKEN/],
    ['that the bucket is elsewhere', () => [301, 'PermanentRedirect'], /another region.*region=/],
    ['that the clock is wrong', () => [403, 'RequestTimeTooSkewed'], /clocks.*NTP/],
    [
      'that the store is full',
      (method) => (method === 'PUT' ? [507, 'InsufficientStorage'] : null),
      /fails.*InsufficientStorage/,
    ],
    ['nothing where all is well', () => null, /can be kept in the bucket shop at/],
  ];
  for (const [what, refused, said] of refusals) {
    it(`finds ${what}`, async (t) => {
      const server = createServer((request, answer) => {
        request.resume();
        const path = request.url ?? '';
        const [status, code] =
          refused(request.method ?? '', path) ?? (path.includes('.database') ? [404, 'NoSuchKey'] : [200, '']);
        answer.writeHead(status, { 'content-type': 'application/xml' });
        answer.end(
          code === ''
            ? path.includes('list-type')
              ? '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>'
              : ''
            : `<Error><Code>${code}</Code><Message>Refused.</Message></Error>`,
        );
      }).listen(0, '127.0.0.1');
      t.after(() => server.close());
      await once(server, 'listening');
      const address = server.address();
      assert.ok(address !== null && typeof address === 'object');
      const variables = {
        DOCUMENTS_URL: `s3://shop/docs?endpoint=http://127.0.0.1:${address.port}`,
        AWS_ACCESS_KEY_ID: 'a',
        AWS_SECRET_ACCESS_KEY: 'very-secret-words',
      };
      await finds(
        { folder: temporaryFolder(t), variables },
        refused('GET', '') === null && refused('PUT', '') === null && refused('DELETE', '') === null ? 'ok' : 'wrong',
        said,
      );
    });
  }
});

describe('doctor, of documents in a real S3 store', { skip, timeout: 900_000 }, () => {
  let swift: Swift;
  before(async () => {
    swift = await startSwift();
  });
  after(() => swift.stop());

  it('finds nothing wrong, and leaves nothing behind', async (t) => {
    const { bucket, prefix } = await swift.bucket('fine');
    const variables = {
      DOCUMENTS_URL: `s3://${bucket}/${prefix}?endpoint=${swift.endpoint}`,
      AWS_ACCESS_KEY_ID: swiftKey.accessKeyId,
      AWS_SECRET_ACCESS_KEY: swiftKey.secretAccessKey,
    };
    const place = { ...(await usedPlace(t)), variables };
    await finds(place, 'ok', /can be kept in the bucket fine/);
    const client = new S3Client({
      endpoint: swift.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: swiftKey,
    });
    t.after(() => client.destroy());
    assert.equal((await client.send(new ListObjectsV2Command({ Bucket: bucket }))).KeyCount, 0);
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: `${prefix}.database`, Body: 'another' }));
    await finds(place, 'wrong', /belong to another database/);
  });

  it('finds a bucket that is not there, and a key that is wrong', async (t) => {
    const { bucket } = await swift.bucket('refused');
    const place = { folder: temporaryFolder(t) };
    const variables = { AWS_ACCESS_KEY_ID: swiftKey.accessKeyId, AWS_SECRET_ACCESS_KEY: swiftKey.secretAccessKey };
    await finds(
      { ...place, variables: { ...variables, DOCUMENTS_URL: `s3://nowhere?endpoint=${swift.endpoint}` } },
      'wrong',
      /no such bucket.*nowhere/,
    );
    await finds(
      {
        ...place,
        variables: {
          ...variables,
          AWS_SECRET_ACCESS_KEY: 'very-secret-words',
          DOCUMENTS_URL: `s3://${bucket}?endpoint=${swift.endpoint}`,
        },
      },
      'wrong',
      /refuses the key/,
    );
  });
});
