// A client that may read only: every write is refused in one place, before its handler.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sample } from './sample-server.ts';

describe('a read-only client', () => {
  const principal = { kind: 'client', clientId: 'c', subject: 's', activityCodes: ['ABC'], readOnly: true } as const;

  it('may read, and is refused every write with 403 before anything is done', async (t) => {
    const { server, calls } = sample(t, { authenticate: () => principal });
    assert.equal((await server.inject({ url: '/v1/orders' })).statusCode, 200);
    const refused = await server.inject({ method: 'POST', url: '/v1/orders' });
    assert.equal(refused.statusCode, 403);
    assert.match(refused.json().type, /\/problems\/read-only-client$/);
    assert.equal(calls.length, 1);
  });

  it('is told apart from one that may write', async (t) => {
    const { server } = sample(t, { authenticate: () => ({ ...principal, readOnly: false }) });
    assert.equal((await server.inject({ method: 'POST', url: '/v1/orders' })).statusCode, 200);
  });
});
