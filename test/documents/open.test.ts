import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../src/config.ts';
import { openDocumentStorage } from '../../src/documents/open.ts';
import { parseS3Place } from '../../src/documents/s3-place.ts';
import { OperatorError } from '../../src/model/operator-error.ts';

describe('DOCUMENTS_URL', () => {
  const wrongs: readonly (readonly [text: string, told: RegExp])[] = [
    ['', /begins with s3:/],
    ['documents', /begins with s3:/],
    ['https://s3.example.com/bucket', /begins with s3:/],
    ['s3:bucket?region=a', /bucket, and "" is no name/],
    ['s3:///prefix?region=a', /bucket, and ""/],
    ['s3://ab?region=eu-west-1', /bucket, and "ab"/],
    ['s3://key:secret@bucket?region=a', /AWS_ACCESS_KEY_ID/],
    ['s3://bucket:9000/a?region=a', /belongs into endpoint=/],
    ['s3://bucket?region=a#b', /fragment/],
    ['s3://bucket', /needs region=/],
    ['s3://bucket?region=', /needs region=/],
    ['s3://bucket?region=EU%20West', /"EU West"/],
    ['s3://bucket?region=a&path-style=true', /"path-style"; known are endpoint, region, pathStyle/],
    ['s3://bucket?region=a&region=b', /"region" twice/],
    ['s3://bucket?region=a&pathStyle=yes', /pathStyle=true or pathStyle=false/],
    ['s3://bucket?endpoint=s3.example.com', /endpoint like https:/],
    ['s3://bucket?endpoint=https://s3.example.com/bucket', /endpoint like/],
    ['s3://bucket?endpoint=https://a:b@s3.example.com', /endpoint like/],
    ['s3://bucket?endpoint=ftp://s3.example.com', /endpoint like/],
    ['s3://bucket/a%20b?region=a', /prefix with other characters/],
    ['s3://bucket/.hidden?region=a', /prefix with other/],
  ];
  for (const [text, told] of wrongs) {
    it(`is explained when it is wrong: ${text}`, () => {
      assert.throws(
        () => parseS3Place(text),
        (error) =>
          error instanceof OperatorError &&
          told.test(error.message) &&
          !error.message.includes('secret@') &&
          /docs\/documents\.md/.test(error.remedy),
      );
    });
  }

  it('names a bucket, and where it is', () => {
    assert.deepEqual(parseS3Place('s3://my-bucket?region=eu-west-3'), {
      bucket: 'my-bucket',
      prefix: '',
      endpoint: null,
      region: 'eu-west-3',
      pathStyle: false,
    });
    assert.deepEqual(parseS3Place('s3://b.c/shop//documents/?endpoint=http://127.0.0.1:9000/'), {
      bucket: 'b.c',
      prefix: 'shop/documents/',
      endpoint: 'http://127.0.0.1:9000',
      region: 'us-east-1',
      pathStyle: true,
    });
    assert.deepEqual(parseS3Place('s3://bucket/a?endpoint=https%3A%2F%2Fs3.example.com&region=rbx&pathStyle=false'), {
      bucket: 'bucket',
      prefix: 'a/',
      endpoint: 'https://s3.example.com',
      region: 'rbx',
      pathStyle: false,
    });
    assert.equal(parseS3Place('s3://bucket/a/../../b?region=a').prefix, 'b/');
  });
});

describe('opening the document storage', () => {
  const failed = (error: unknown): never => {
    throw error;
  };
  const none = { documentsUrl: null, awsAccessKeyId: null, awsSecretAccessKey: null, awsSessionToken: null };

  it('needs both halves of a key, or none', async () => {
    for (const half of [{ awsAccessKeyId: 'key' }, { awsSecretAccessKey: 'secret' }]) {
      await assert.rejects(
        openDocumentStorage(
          { ...none, dataDir: '/nowhere', documentsUrl: 's3://bucket?region=a', ...half },
          { database: 'ours', failed },
        ),
        (error) => error instanceof OperatorError && /belong together/.test(error.message),
      );
    }
    await openDocumentStorage(
      { ...none, dataDir: '/nowhere', documentsUrl: 's3://bucket?region=a' },
      { database: 'ours', failed },
    );
  });

  it('makes nothing, and loads nothing for S3 where it is on disk', (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'documents-'));
    t.after(() => rmSync(dataDir, { recursive: true }));
    const opening = fileURLToPath(new URL('../../src/documents/open.ts', import.meta.url));
    const program = `
      import { createRequire } from 'node:module';
      import { openDocumentStorage } from ${JSON.stringify(opening)};
      const access = { awsAccessKeyId: null, awsSecretAccessKey: null, awsSessionToken: null };
      const options = { database: 'ours', failed: () => undefined };
      for (const documentsUrl of [null, 's3://bucket?region=a']) {
        await openDocumentStorage({ dataDir: ${JSON.stringify(dataDir)}, documentsUrl, ...access }, options);
        const { cache } = createRequire(import.meta.url);
        console.log(Object.keys(cache).some((path) => path.includes('@aws-sdk')));
      }`;
    assert.deepEqual(
      execFileSync(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program],
        { encoding: 'utf8' },
      )
        .trim()
        .split('\n'),
      ['false', 'true'],
    );
    assert.ok(!existsSync(join(dataDir, 'documents')));
  });
});

describe('DOCUMENT_SLUGS', () => {
  it('has a list of its own', () => {
    assert.deepEqual(readConfig({}, '/').documentSlugs, [
      'invoice',
      'delivery-note',
      'packing-list',
      'gift-message',
      'customs',
      'label',
      'other',
    ]);
    assert.deepEqual(readConfig({ DOCUMENT_SLUGS: ' invoice, cn23 ,invoice' }, '/').documentSlugs, ['invoice', 'cn23']);
  });

  it('is refused when a name is none', () => {
    for (const text of [',', 'Invoice', 'a/b', 'a b', '..', 'é', 'a'.repeat(33)]) {
      assert.throws(
        () => readConfig({ DOCUMENT_SLUGS: text }, '/'),
        (error) => error instanceof OperatorError && /DOCUMENT_SLUGS/.test(error.message),
        text,
      );
    }
  });
});
