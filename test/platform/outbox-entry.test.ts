// The text of an outbox entry, on the wire and in files.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { extensions } from '../../src/documents/names.ts';
import { documentFile, outboxEntryText } from '../../src/platform/outbox-entry.ts';
import type { OutboxEntry } from '../../src/store/outbox-contract.ts';

const id = '019b2f3e-7c1a-7d20-9c55-3a1f0e6b7d42';

function entry(kind: OutboxEntry['kind'], body: unknown): OutboxEntry {
  return {
    activity: 'ACM',
    changeNumber: 1042,
    kind,
    body: JSON.stringify(body),
    operationId: 'op',
    createdAt: Date.UTC(2026, 0, 31, 8),
  };
}

describe('an outbox entry', () => {
  it('refuses a document without id or media type: that is a mistake of ours', () => {
    for (const body of [null, [], {}, { id }, { mediaType: 'image/png' }, { id: 7, mediaType: 'image/png' }]) {
      assert.throws(
        () => outboxEntryText(entry('document', body), { platformUrl: null }),
        /ACM:1042 holds no metadata/,
      );
    }
  });

  it('carries any article as it is stored, on one line', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (article, indented) => {
        const body = indented ? JSON.stringify(article, null, 2) : JSON.stringify(article);
        const text = outboxEntryText(
          { ...entry('article', null), body },
          { platformUrl: 'https://api.example/platform' },
        );
        assert.doesNotMatch(text, /[\r\n]/);
        assert.deepEqual(JSON.parse(text), {
          position: 'ACM:1042',
          kind: 'article',
          activityCode: 'ACM',
          operationId: 'op',
          at: '2026-01-31T08:00:00.000Z',
          article: JSON.parse(body),
        });
      }),
    );
  });

  it('says where the bytes of a document are: an address on the wire, a path beside a file', () => {
    const document = { id, mediaType: 'image/png', fileName: 'a.png' };
    const contentOf = (platformUrl: string | null): unknown =>
      JSON.parse(outboxEntryText(entry('document', document), { platformUrl })).content;
    assert.equal(contentOf('https://api.example/platform'), `https://api.example/platform/documents/${id}/content`);
    assert.equal(contentOf(null), `documents/${id}.png`);
    assert.deepEqual(
      JSON.parse(outboxEntryText(entry('document', document), { platformUrl: null })).document,
      document,
    );
  });

  it('names the file of every kind of document after its content', () => {
    const types = ['application/pdf', 'image/png', 'image/jpeg', 'image/tiff', 'application/zpl'];
    assert.deepEqual(
      types.map((type) => documentFile('x', type)),
      extensions.map((extension) => `documents/x.${extension}`),
    );
    assert.equal(documentFile('x', 'constructor'), 'documents/x.bin');
  });
});
