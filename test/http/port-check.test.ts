// Free ports, and ports that are not free.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { freePort } from '../../src/http/port-check.ts';

describe('a port', () => {
  it('that is taken is said to be so', async (t) => {
    const server = createServer().listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    await assert.rejects(freePort('127.0.0.1', address.port), { code: 'EADDRINUSE' });
  });

  it("of an address that is not this machine's is said to be so", async () => {
    await assert.rejects(freePort('192.0.2.1', 0), { code: 'EADDRNOTAVAIL' });
  });

  it('that is looked for is none that an outgoing connection may be given before it is listened on', async () => {
    for (let times = 0; times < 50; times++) {
      const port = await freePort('127.0.0.1', 0);
      assert.ok(port >= 16_384 && port < 32_768, String(port));
    }
  });
});
