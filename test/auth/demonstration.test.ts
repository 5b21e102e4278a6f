// Where the client of the demonstration may send people back to, and that the reference page fills it in.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addClient, disableClient } from '../../src/auth/clients.ts';
import { demoClientId, demoRedirects } from '../../src/demo/demo-client.ts';
import { clientLike } from './fixture.ts';
import { authorizationRequest, openBrowser, send, startService } from './flow.ts';

it('the demonstration sends people back to any port of this machine, and to Postman and Insomnia', async (t) => {
  const service = await startService(t);
  const wanted = clientLike({ redirectUris: demoRedirects });
  const { client } = await addClient(service.app.store, wanted, Date.now(), demoClientId);
  const statusOf = async (redirect_uri: string): Promise<number> =>
    (await openBrowser(service).get(authorizationRequest(service, client, { redirect_uri }).address)).status;
  for (const redirect of [
    ...['http://127.0.0.1', 'http://[::1]', 'http://localhost'].flatMap((origin) =>
      ['', ':80', ':1', ':5173', ':65535'].flatMap((port) =>
        ['', '/', '/callback'].map((path) => origin + port + path),
      ),
    ),
    'https://oauth.pstmn.io/v1/callback',
    'https://oauth.pstmn.io/v1/browser-callback',
    'https://app.insomnia.rest/oauth/redirect',
  ])
    assert.equal(await statusOf(redirect), 303, redirect);
  for (const redirect of [
    'http://127.0.0.2/callback',
    'http://localhost.evil.example/callback',
    'https://localhost/callback',
    'https://oauth.pstmn.io/',
    'https://oauth.pstmn.io:8443/v1/callback',
    'http://127.0.0.1:5173@evil.example/callback',
  ])
    assert.equal(await statusOf(redirect), 400, redirect);
});

it('the reference page fills in the client of the demonstration as long as it may be used', async (t) => {
  const service = await startService(t);
  const filledIn = async (): Promise<string | undefined> => {
    const page = await send(service, 'GET', `${service.baseUrl}/docs`);
    assert.equal(page.status, 200);
    return /id="reference" data-client-id="([^"]*)"/.exec(page.body)?.[1];
  };
  assert.equal(await filledIn(), undefined);
  await addClient(service.app.store, clientLike({ redirectUris: demoRedirects }), Date.now(), demoClientId);
  assert.equal(await filledIn(), demoClientId);
  await disableClient(service.app.store, demoClientId, Date.now());
  assert.equal(await filledIn(), undefined);
});
