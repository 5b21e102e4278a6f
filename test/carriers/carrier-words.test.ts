// Errors of carriers as they are handed on: without secrets, short, and never silent about a parcel that exists.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Carrier, CarrierError, type WireAnswer, type WireRequest } from '../../src/carriers/carrier.ts';
import {
  accessError,
  addressPattern,
  afterCreation,
  keepingSecrets,
  originsOf,
  ownAddressPattern,
  quoted,
  saying,
} from '../../src/carriers/carrier-words.ts';
import { labelOutput, labelOutputs } from '../../src/carriers/label-outputs.ts';
import { sampleGif, samplePdf, samplePng } from '../../simulators/sample-label.ts';
import { answer, failureOf, replay, resultOf } from './drive.ts';

const account = { settings: { login: 'shop', password: 'geheim-1', short: 'ab' } };
const request: WireRequest = { method: 'GET', url: 'http://localhost/', headers: {}, body: null, repeat: 'safe' };

function talking(finish: (answer: WireAnswer) => string): Carrier {
  function* talk(): Generator<WireRequest, string, WireAnswer> {
    return finish(yield request);
  }
  const lacking = { createLabel: null, fetchLabel: null, track: null };
  return {
    name: 'x',
    title: 'X',
    settings: [
      { name: 'login', meaning: 'Login.' },
      { name: 'password', meaning: 'Password.', secret: true },
      { name: 'short', meaning: 'Short.', secret: true },
    ],
    outputs: {},
    origins: () => [],
    faults: () => [],
    ...lacking,
    probe: talk,
  };
}

describe('a carrier that keeps secrets', () => {
  const failing = (error: unknown) =>
    replay(
      keepingSecrets(
        talking(() => {
          throw error;
        }),
      ).probe?.(account) ?? assert.fail(),
      [answer('')],
    );

  it('hides them wherever the carrier repeats them, and keeps everything else', async () => {
    const error = failureOf(
      await failing(
        new CarrierError('timeout', 'shop:geheim-1 is wrong.', {
          carrierCode: 'geheim-1',
          carrierMessage: 'geheim-1, ab, geheim-1',
          faults: [{ field: 'weight', code: 'refused', detail: 'geheim-1.' }],
          acted: 'no',
          parcels: ['P1'],
        }),
      ),
    );
    assert.deepEqual(
      { ...error },
      {
        kind: 'timeout',
        name: 'CarrierError',
        carrierCode: '…',
        carrierMessage: '…, ab, …',
        faults: [{ field: 'weight', code: 'refused', detail: '….' }],
        acted: 'no',
        parcels: ['P1'],
      },
    );
    assert.equal(error.message, 'shop:… is wrong.');
  });

  it('hides the credentials of every request that it made, and of secrets that hold one another the whole', async () => {
    const carrier: Carrier = {
      ...talking(() => ''),
      probe: function* (): Generator<WireRequest, string, WireAnswer> {
        for (const Authorization of ['Bearer tok.1-2', 'Token geheim-1-more', 'Basic'])
          yield { ...request, headers: { Authorization } };
        throw new CarrierError('unavailable', 'tok.1-2, geheim-1-more, geheim-1 and Basic.');
      },
    };
    const error = failureOf(
      await replay(keepingSecrets(carrier).probe?.(account) ?? assert.fail(), [answer(''), answer(''), answer('')]),
    );
    assert.equal(error.message, '…, …, … and ….');
  });

  it('hides a secret whose blanks were joined, and one that was cut off', async () => {
    const secret = 'two  words-of-a-secret';
    const keeper = { settings: { ...account.settings, password: secret } };
    for (const message of [`not ${secret} at all`, `${'x'.repeat(490)} ${secret}`]) {
      const carrier = talking(() => {
        throw new CarrierError('refused', saying('No', { code: '', message }), quoted({ code: '', message }));
      });
      const error = failureOf(await replay(keepingSecrets(carrier).probe?.(keeper) ?? assert.fail(), [answer('')]));
      assert.doesNotMatch(`${error.message} ${error.carrierMessage}`, /two|words/);
      assert.match(error.message, /…/);
    }
  });

  it('lets results and bugs through as they are', async () => {
    assert.equal(
      resultOf(
        await replay(keepingSecrets(talking(({ status }) => String(status))).probe?.(account) ?? assert.fail(), [
          answer('', 204),
        ]),
      ),
      '204',
    );
    const bug = new TypeError('geheim-1');
    assert.equal((await failing(bug)).error, bug);
  });

  it('hands a failed call to the conversation, which may go on without', async () => {
    const carrier = talking(() => 'answered');
    function* patient(): Generator<WireRequest, string, WireAnswer> {
      try {
        yield request;
      } catch (error) {
        return error instanceof CarrierError ? 'went on' : 'lost';
      }
      return 'answered';
    }
    const driven = await replay(keepingSecrets({ ...carrier, probe: patient }).probe?.(account) ?? assert.fail(), [
      new CarrierError('timeout', 'Late.'),
    ]);
    assert.equal(resultOf(driven), 'went on');
  });

  it('stays without the operations that it lacks', () => {
    const { createLabel, fetchLabel, track } = keepingSecrets(talking(() => ''));
    assert.deepEqual([createLabel, fetchLabel, track], [null, null, null]);
  });
});

describe("a carrier's wording", () => {
  it('is on one line, and not endless', () => {
    const { carrierCode, carrierMessage } = quoted({ code: 'A\u0000\nB', message: `${'long '.repeat(200)}\r\n` });
    assert.equal(carrierCode, 'A B');
    assert.match(carrierMessage ?? '', /^(long )+.*…$/);
    assert.ok((carrierMessage ?? '').length <= 500);
    assert.deepEqual(quoted({ code: '', message: '' }), { carrierCode: null, carrierMessage: null });
    assert.equal(saying('X says no', { code: '1', message: 'not\ntoday' }), 'X says no: "not today".');
  });

  it('of a status tells who must act, and whether something may have been made', () => {
    const said = { code: '', message: '' };
    const facts = [401, 403, 429, 500, 503]
      .map((status) => accessError('X', answer('', status), said))
      .map((error) => `${error?.kind} ${error?.acted}`);
    assert.deepEqual(facts, [
      'configuration no',
      'configuration no',
      'unavailable no',
      'unavailable unknown',
      'unavailable unknown',
    ]);
    for (const status of [200, 400, 404, 422]) assert.equal(accessError('X', answer('', status), said), null);
  });

  it('names parcels that exist, whatever failed afterwards', () => {
    const error = afterCreation(new CarrierError('invalid', 'No.', { carrierCode: '7' }), 'X', ['1', '2']);
    assert.ok(error instanceof CarrierError);
    assert.deepEqual(
      [error.kind, error.message, error.carrierCode, error.acted, error.parcels],
      ['invalid', 'The parcels 1, 2 exist at X all the same. No.', '7', 'unknown', ['1', '2']],
    );
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
