// Errors of carriers as they are handed on never hold a secret of the account.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Carrier, CarrierError, type CarrierAnswer, type CarrierRequest } from '../../src/carriers/carrier.ts';
import { carrierError } from '../../src/carriers/carrier-messages.ts';
import { withRedaction } from '../../src/carriers/redaction.ts';
import { answer, failureOf, noDesk, replay, resultOf } from './drive.ts';

const account = { settings: { login: 'shop', password: 'geheim-1', short: 'ab' } };
const request: CarrierRequest = { method: 'GET', url: 'http://localhost/', headers: {}, body: null, repeat: 'safe' };

function talking(finish: (answer: CarrierAnswer) => string): Carrier {
  function* talk(): Generator<CarrierRequest, string, CarrierAnswer> {
    return finish(yield request);
  }
  const lacking = { createLabel: null, fetchLabel: null, track: null, desk: { ...noDesk, voidLabel: talk } };
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
    check: () => [],
    ...lacking,
    probe: talk,
  };
}

describe('a carrier that keeps secrets', () => {
  const failing = (error: unknown) =>
    replay(
      withRedaction(
        talking(() => {
          throw error;
        }),
      ).probe?.(account, 0) ?? assert.fail(),
      [answer('')],
    );

  it('hides them wherever the carrier repeats them, and keeps everything else', async () => {
    const given = { outputs: [{ name: 'TrackID', kind: 'text', text: 'T1' }], aliases: ['T1'] } as const;
    const error = failureOf(
      await failing(
        new CarrierError('timeout', 'shop:geheim-1 is wrong.', {
          carrierCode: 'geheim-1',
          carrierMessage: 'geheim-1, ab, geheim-1',
          reasons: [{ pointer: '/weight', code: 'refused', detail: 'geheim-1.' }],
          acted: 'no',
          parcels: ['P1'],
          given,
          voided: ['P2'],
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
        reasons: [{ pointer: '/weight', code: 'refused', detail: '….' }],
        acted: 'no',
        parcels: ['P1'],
        given,
        voided: ['P2'],
      },
    );
    assert.equal(error.message, 'shop:… is wrong.');
  });

  it('gives errors of bounded length, on one line, and hides secrets that they are cut in', async () => {
    const long = `1\r\n${'x'.repeat(492)} geheim-1${'y'.repeat(5000)}`;
    const { message, carrierCode, carrierMessage, reasons } = failureOf(
      await failing(
        new CarrierError('invalid', `${long} ${long}.`, {
          carrierCode: long,
          carrierMessage: `${'x'.repeat(498)}\u{1f4e6}\u{1f4e6}`,
          reasons: Array.from({ length: 2000 }, () => ({ pointer: '/weight', code: 'refused', detail: long })),
        }),
      ),
    );
    assert.ok(message.length <= 4000 && message.endsWith('y…'), message);
    assert.equal(carrierCode, `1 ${'x'.repeat(492)} …`);
    assert.equal(carrierMessage, `${'x'.repeat(498)}…`);
    assert.equal(reasons.length, 100);
    assert.equal(reasons[0]?.detail, `1 ${'x'.repeat(492)} …`);
  });

  it('hides the credentials of every request, and of secrets that hold one another the whole', async () => {
    const carrier: Carrier = {
      ...talking(() => ''),
      probe: function* (): Generator<CarrierRequest, string, CarrierAnswer> {
        for (const Authorization of ['Bearer tok.1-2', 'Token geheim-1-more', 'Basic'])
          yield { ...request, headers: { Authorization } };
        throw new CarrierError('unavailable', 'tok.1-2, geheim-1-more, geheim-1 and Basic.');
      },
    };
    const error = failureOf(
      await replay(withRedaction(carrier).probe?.(account, 0) ?? assert.fail(), [answer(''), answer(''), answer('')]),
    );
    assert.equal(error.message, '…, …, … and ….');
  });

  it('hides a secret whose blanks were joined, and one that was cut off', async () => {
    const secret = 'two  words-of-a-secret';
    const keeper = { settings: { ...account.settings, password: secret } };
    for (const text of [`not ${secret} at all`, `${'x'.repeat(490)} ${secret}`]) {
      const carrier = talking(() => {
        throw carrierError('refused', 'No', { code: '', text });
      });
      const error = failureOf(await replay(withRedaction(carrier).probe?.(keeper, 0) ?? assert.fail(), [answer('')]));
      assert.doesNotMatch(`${error.message} ${error.carrierMessage}`, /two|words/);
      assert.match(error.message, /…/);
    }
  });

  it('lets results and bugs through as they are', async () => {
    assert.equal(
      resultOf(
        await replay(withRedaction(talking(({ status }) => String(status))).probe?.(account, 0) ?? assert.fail(), [
          answer('', 204),
        ]),
      ),
      '204',
    );
    const bug = new TypeError('geheim-1');
    assert.equal((await failing(bug)).error, bug);
  });

  it('hands a failed call to the exchange, which may go on without', async () => {
    const carrier = talking(() => 'answered');
    function* patient(): Generator<CarrierRequest, string, CarrierAnswer> {
      try {
        yield request;
      } catch (error) {
        return error instanceof CarrierError ? 'went on' : 'lost';
      }
      return 'answered';
    }
    const driven = await replay(withRedaction({ ...carrier, probe: patient }).probe?.(account, 0) ?? assert.fail(), [
      new CarrierError('timeout', 'Late.'),
    ]);
    assert.equal(resultOf(driven), 'went on');
  });

  it('stays without the operations that it lacks', () => {
    const { createLabel, fetchLabel, track } = withRedaction(talking(() => ''));
    assert.deepEqual([createLabel, fetchLabel, track], [null, null, null]);
  });
});
