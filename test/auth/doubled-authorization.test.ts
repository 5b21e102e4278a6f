// Authorization headers that are malformed or come twice, as bytes on a socket: Node hands on the first alone.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { registerClient, type Service, startService, token } from './flow.ts';

async function statusOf({ port, baseUrl }: Service, lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const { host, pathname } = new URL(baseUrl);
  socket.write(
    [`GET ${pathname}/articles HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...lines, '', ''].join('\r\n'),
  );
  const answer = await text(socket);
  assert.match(answer, /^HTTP\/1\.1 (?:200|401 [\s\S]*\r\nwww-authenticate: Bearer )/i);
  return answer.split(' ')[1] ?? '';
}

it('an Authorization header that is malformed or doubled is 401, also where the first one is good', async (t) => {
  const service = await startService(t);
  const credentials = await registerClient(service, { redirectUris: [], confidential: true, service: true });
  const answer = await token(service, credentials, { grant_type: 'client_credentials', scope: 'svc_connect' });
  const good = `Authorization: Bearer ${String(answer.json().access_token)}`;
  assert.equal(await statusOf(service, [good]), '200');
  for (const lines of [
    [good, good],
    [good, 'Authorization: Bearer x'],
    ['Authorization: Bearer x', good],
    [good, 'authorization: Basic eDp5'],
    ['AUTHORIZATION: Basic eDp5', good],
    [good, 'Authorization:'],
    [`${good}, Bearer x`],
    [`${good} x`],
    ['Authorization: Bearer'],
    ['Authorization: Bearer "x"'],
    ['Authorization: Bearer\t'],
    [good.replace('Bearer ', 'Bearer:')],
    [good.replace('Bearer ', '')],
    ['Authorization: \u00ff'],
  ])
    assert.equal(await statusOf(service, lines), '401', lines.join(' | ').slice(0, 200));
});
