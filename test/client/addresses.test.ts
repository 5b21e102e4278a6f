// Which addresses the client of `packages/client` asks for ids, references and codes that others chose.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, createPlatformClient } from '../../packages/client/src/index.ts';

describe('a value in the path of a request', () => {
  for (const value of ['.', '..']) {
    it(`is refused if it would change the path: ${value}`, async () => {
      const { client, platform, asked } = clients();
      for (const call of [
        client.orders.documents(value),
        client.orders.labels(value),
        client.orders.attach(value, 'invoice', new Blob(['x'])),
        client.movements.ofArticle(value).page(),
        client.shipping.label('north', value, 'a'),
        client.shipping.tracking('north', 'ups', value),
        platform.refusedLine(value),
        platform.dropLine(value),
      ])
        await assert.rejects(call, (error) => {
          assert.ok(error instanceof TypeError);
          assert.match(error.message, new RegExp(`^"${value.replaceAll('.', '\\.')}" cannot be a part of the path /`));
          return true;
        });
      assert.deepEqual(asked, []);
    });
  }

  it('stays what it is otherwise', async () => {
    const { client, asked } = clients();
    const values = ['...', '.a', 'a.', '../..', '%2e%2e', '?', '#', 'a b'];
    for (const value of values) await client.orders.documents(value);
    assert.deepEqual(
      asked,
      values.map((value) => `https://logistics.example/v1/orders/${encodeURIComponent(value)}/docs`),
    );
  });

  it('may have dots in a query', async () => {
    const { client, asked } = clients();
    await client.orders.pageAt('/orders?limit=1&filter=a/../b');
    await client.orders.documents('A1', { activityCode: '..' });
    assert.deepEqual(asked, [
      'https://logistics.example/v1/orders?limit=1&filter=a/../b',
      'https://logistics.example/v1/orders/A1/docs?activityCode=..',
    ]);
  });
});

/** Clients of a service that answers everything with an empty list, and the addresses that they ask. */
function clients() {
  const asked: string[] = [];
  const options = {
    token: 'any',
    fetch: async (address: string | URL | Request) => {
      asked.push(address instanceof Request ? address.url : String(address));
      return Response.json([]);
    },
  };
  return {
    asked,
    client: createClient({ baseUrl: 'https://logistics.example/v1', ...options }),
    platform: createPlatformClient({ platformUrl: 'https://logistics.example/platform', ...options }),
  };
}
