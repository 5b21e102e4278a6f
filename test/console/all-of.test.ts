// Lists that the console reads to their end: page by page, and whole from a server that knows no pages of them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPlatformClient } from '../../packages/client/src/index.ts';
import { allCodesOf } from '../../packages/console/src/operator/administration/all-of.ts';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { startService } from '../auth/flow.ts';

describe('a list that is read to its end', () => {
  it('ends with the page that names no other, or says nothing of one, as a server before does', async (t) => {
    const { app, baseUrl } = await startService(t);
    for (const code of ['X1', 'X2']) await app.store.activities.add(code, code);
    const wanted = { name: 'lab', activityCodes: null, roles: ['administration'] };
    const { text: token } = await addPlatformKey(app.store, wanted, Date.now());
    const platformUrl = `${new URL(baseUrl).origin}/platform`;
    const asked: string[] = [];
    const earlier: typeof fetch = async (...request) => {
      asked.push(String(request[0]));
      if (asked.length > 1) assert.fail('the end is not seen');
      const { after: _after, ...answer } = Object(await (await fetch(...request)).json());
      return Response.json(answer);
    };
    const known = new Set((await app.store.activities.list()).map(({ code }) => code));
    assert.deepEqual(await allCodesOf(createPlatformClient({ platformUrl, token })), known);
    assert.deepEqual(await allCodesOf(createPlatformClient({ platformUrl, token, fetch: earlier })), known);
    assert.equal(asked.length, 1);
  });
});
