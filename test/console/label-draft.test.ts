// A label that is asked for in the console: whether its key may be given up when its request has failed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  AuthorizationError,
  ConnectionError,
  type LabelRequest,
  ProblemError,
} from '../../packages/client/src/index.ts';
import { draftAfterFailure, newDraft, type SentRequest } from '../../packages/console/src/ship/draft.ts';

const request: LabelRequest = {
  ...{ modeCol: 'CCC', modeLiv: 'HOM', weight: '1000', nbPackage: '1' },
  ...{ destAddr1: '1 rue', destCity: 'Lyon', destZip: '69001', destCountry: 'FR' },
};
const sent: SentRequest = { account: { context: 'main', carrier: 'sandbox' }, request };
const lost = new ConnectionError('no answer');
const signedOut = new AuthorizationError('invalid_grant', 'Nobody is signed in.', 400);
const refusal = (status: number, slug: string): ProblemError =>
  new ProblemError(status, { type: `http://localhost/v1/problems/${slug}`, title: slug, status }, new Headers());

describe('the draft of a label', () => {
  it('takes a new key when its request was refused, so that the corrected one is a new request', () => {
    const draft = newDraft({ weight: '0' });
    for (const error of [
      refusal(400, 'validation-failed'),
      refusal(422, 'carrier-rejected'),
      refusal(429, 'quota-exceeded'),
      signedOut,
    ]) {
      const after = draftAfterFailure(draft, sent, error);
      assert.notEqual(after.key, draft.key, error.message);
      assert.deepEqual([after.values, after.sent], [draft.values, undefined]);
    }
  });

  it('keeps key and request while it is not known what became of it', () => {
    const draft = newDraft({ weight: '1000' });
    for (const error of [
      lost,
      refusal(409, 'idempotency-in-progress'),
      refusal(422, 'idempotency-key-reused'),
      refusal(500, 'internal-error'),
      refusal(502, 'carrier-unavailable'),
      refusal(504, 'carrier-timeout'),
    ])
      assert.deepEqual(draftAfterFailure(draft, sent, error), { ...draft, sent });
  });

  it('keeps them also if the repeated request is refused before the service looks at its key', () => {
    const unknown = draftAfterFailure(newDraft({ weight: '1000' }), sent, lost);
    for (const error of [
      refusal(400, 'validation-failed'),
      refusal(403, 'insufficient-scope'),
      refusal(404, 'resource-not-found'),
      refusal(422, 'idempotency-key-reused'),
      refusal(429, 'rate-limited'),
      signedOut,
    ])
      assert.deepEqual(draftAfterFailure(unknown, sent, error), unknown);
    assert.notEqual(draftAfterFailure(unknown, sent, refusal(422, 'carrier-rejected')).key, unknown.key);
  });
});
