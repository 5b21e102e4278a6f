// Errors of carriers as they are handed on: short, and never silent about a parcel that exists.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleGif, samplePdf, samplePng } from '../../simulators/sample-label.ts';
import { CarrierError } from '../../src/carriers/carrier.ts';
import {
  accessError,
  afterCreation,
  carrierError,
  messageFacts,
  noMessage,
} from '../../src/carriers/carrier-messages.ts';
import { addressPattern, originsOf, ownAddressPattern } from '../../src/carriers/endpoints.ts';
import { labelOutput, labelOutputs } from '../../src/carriers/label-outputs.ts';
import { answer } from './drive.ts';

describe("a carrier's wording", () => {
  it('is on one line, and not endless', () => {
    const { carrierCode, carrierMessage } = messageFacts({ code: 'A\u0000\nB', text: `${'long '.repeat(200)}\r\n` });
    assert.equal(carrierCode, 'A B');
    assert.match(carrierMessage ?? '', /^(long )+.*…$/);
    assert.ok((carrierMessage ?? '').length <= 500);
    assert.deepEqual(messageFacts(noMessage), { carrierCode: null, carrierMessage: null });
    const error = carrierError('refused', 'X says no', { code: '1', text: 'not\ntoday' });
    assert.deepEqual([error.message, error.carrierCode], ['X says no: "not today".', '1']);
  });

  it('of a status tells who must act, and whether something may have been made', () => {
    const facts = [401, 403, 429, 500, 503]
      .map((status) => accessError('X', answer('', status)))
      .map((error) => `${error?.kind} ${error?.acted}`);
    assert.deepEqual(facts, [
      'configuration no',
      'configuration no',
      'unavailable no',
      'unavailable unknown',
      'unavailable unknown',
    ]);
    for (const status of [200, 400, 404, 422]) assert.equal(accessError('X', answer('', status)), null);
  });

  it('names parcels that exist, whatever failed afterwards', () => {
    const error = afterCreation(new CarrierError('invalid', 'No.', { carrierCode: '7' }), 'X', ['1', '2']);
    assert.ok(error instanceof CarrierError);
    assert.deepEqual(
      [error.kind, error.message, error.carrierCode, error.acted, error.parcels],
      ['invalid', 'The parcels 1, 2 exist at X all the same. No.', '7', 'unknown', ['1', '2']],
    );
    const messages = (['timeout', 'refused'] as const).map((kind) => {
      const later = afterCreation(new CarrierError(kind, 'No.'), 'X', ['1'], { asked: 2 });
      return later instanceof CarrierError ? later.message : '';
    });
    assert.deepEqual(messages, [
      'The parcel 1 exists at X all the same. Whether there is another one is not known. No.',
      'The parcel 1 exists at X all the same. No.',
    ]);
    const bug = new TypeError('bug');
    assert.equal(afterCreation(bug, 'X', ['1']), bug);
    const early = new CarrierError('refused', 'No.');
    assert.equal(afterCreation(early, 'X', []), early);
  });
});

describe('a label', () => {
  it('is what its type says, or none', () => {
    const bytes: Readonly<Record<string, Buffer>> = {
      PdfUrl: samplePdf(['(a)', 'é']),
      PngImage: samplePng(),
      GifImage: sampleGif(),
    };
    for (const [type, right] of Object.entries(bytes)) {
      assert.equal(labelOutput(type, right)?.kind, 'document');
      for (const other of [
        ...Object.values(bytes).filter((one) => one !== right),
        Buffer.from('<html>'),
        Buffer.alloc(0),
      ])
        assert.equal(labelOutput(type, other), null, type);
    }
  });

  it('of a printer is text, or bytes where it is no text', () => {
    assert.deepEqual(labelOutput('ZplCode', Buffer.from('\ufeff^XA^XZ')), {
      name: 'ZplCode',
      kind: 'text',
      text: '^XA^XZ',
    });
    assert.deepEqual(labelOutput('EplCode', Buffer.from([0x4e, 0xff])), {
      name: 'EplCode',
      kind: 'document',
      mediaType: 'application/octet-stream',
      bytes: Buffer.from([0x4e, 0xff]),
    });
    assert.equal(labelOutput('ZplCode', Buffer.alloc(0)), null);
    for (const code of [
      '<STX><ESC>C<ETX>',
      "<xpml><page quantity='0' pitch='101.6 mm'></xpml>^XA^XZ",
      '{D0762,1040,0742|}',
    ])
      assert.equal(labelOutput('IplCode', Buffer.from(code))?.kind, 'text', code);
  });

  it('of a printer is none where it is a document, a page or JSON: they would be printed as characters', () => {
    for (const other of [
      ...[samplePdf(['Label']), samplePng(), sampleGif()],
      Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
      ...['<!DOCTYPE html>', '\n<html lang="fr">', '\ufeff<?xml version="1.0"?><Error/>', '{ "error": "x" }'].map(
        (text) => Buffer.from(text),
      ),
      ...[
        '<soap:Envelope>',
        '<Envelope xmlns="x">',
        '<Error><Code>1</Code>',
        '<!-- 502 -->',
        '<body>',
        '{}',
        '[{}]',
      ].map((text) => Buffer.from(text)),
    ])
      for (const type of ['ZplCode', 'EplCode', 'IplCode'])
        assert.equal(labelOutput(type, other), null, other.toString('latin1', 0, 20));
  });
});

describe('an address in the settings', () => {
  const takes = (pattern: string, text: string) => new RegExp(`^(?:${pattern})$`, 'u').test(text);

  it('is protected, or on this machine', () => {
    for (const right of [
      'https://api.example',
      'https://api.example:8443/base',
      'http://localhost:5002',
      'http://127.0.0.1:40001',
      'http://[::1]:80/x',
    ])
      assert.ok(takes(addressPattern, right), right);
    for (const wrong of [
      'http://api.example',
      'https://api.example/',
      'https://user:pw@api.example',
      'https://api.example?x=1',
      'http://localhost.example',
      'http://127.0.0.1.example',
      'ftp://localhost',
      'https://',
      '',
    ])
      assert.ok(!takes(addressPattern, wrong), wrong);
  });

  it("of a server of one's own may be anywhere", () => {
    assert.ok(takes(ownAddressPattern, 'http://karrio.lan:5002'));
    assert.ok(!takes(ownAddressPattern, 'http://karrio.lan:5002/'));
    assert.deepEqual(originsOf('http://karrio.lan:5002/base', 'nothing', undefined, 'http://karrio.lan:5002'), [
      'http://karrio.lan:5002',
    ]);
  });
});

describe('the labels of one answer', () => {
  const [pdf, page] = [samplePdf(['Label']), Buffer.from('<html>')];

  it('are an output each, in their order', () => {
    assert.deepEqual(
      labelOutputs('X', 'ZplCode', [Buffer.from('^XA1^XZ'), Buffer.from('^XA2^XZ')]).map(
        (output) => output.kind === 'text' && output.text,
      ),
      ['^XA1^XZ', '^XA2^XZ'],
    );
  });

  it('are none at all where one of them is no label: a parcel without its label must not go unnoticed', () => {
    for (const labels of [[], [null], [pdf, null], [page], [pdf, page], [Buffer.alloc(0)]]) {
      assert.throws(
        () => labelOutputs('X', 'PdfUrl', labels),
        (error) => error instanceof CarrierError && error.kind === 'unavailable' && error.acted === 'unknown',
      );
    }
  });
});
