import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { checkedName, documentName, extensions, isDocumentName } from '../../src/documents/names.ts';

describe('names of document files', () => {
  it('hold activity, year, month and an id that sorts by time', () => {
    const now = Date.parse('2026-02-28T23:59:59.999Z');
    assert.match(
      documentName('ACM', 'pdf', now),
      /^ACM\/2026\/02\/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.pdf$/,
    );
    assert.ok(documentName('ACM', 'pdf', now) < documentName('ACM', 'pdf', now + 1));
    assert.notEqual(documentName('ACM', 'pdf', now), documentName('ACM', 'pdf', now));
  });

  it('are made of activity codes alone', () => {
    for (const activity of ['', 'acm', 'ACME', '..', 'A/B', 'A\0', 'Ä', 'A\n', 'A '])
      assert.throws(() => documentName(activity, 'pdf', Date.now()), /is no name of a document file/);
  });

  it('are recognized, and no other text is', () => {
    const activity = fc.stringMatching(/^[A-Z0-9]{1,3}$/);
    fc.assert(
      fc.property(
        activity,
        fc.constantFrom(...extensions),
        fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (code, extension, date) => {
          const name = documentName(code, extension, date.getTime());
          assert.ok(isDocumentName(name));
          for (const other of [
            `/${name}`,
            `${name}/`,
            `./${name}`,
            `${name}\n`,
            `\n${name}`,
            name.replace('/', '/../'),
            name.replace('.', '%2e'),
            ` ${name}`,
          ])
            assert.ok(!isDocumentName(other), other);
        },
      ),
    );
    fc.assert(fc.property(fc.string(), (text) => assert.ok(!isDocumentName(text))));
    assert.throws(() => checkedName('../../etc/passwd'), /is no name of a document file/);
  });
});
