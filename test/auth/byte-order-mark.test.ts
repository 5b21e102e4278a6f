// Forms with a byte order mark in front, as some programs write it before whatever they send.
import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { describe, it } from 'node:test';
import { goodPassword } from './fixture.ts';
import {
  authorizationRequest,
  callbackOf,
  connect,
  fieldIn,
  follow,
  openBrowser,
  readArticles,
  refresh,
  registerClient,
  registerUser,
  send,
  type Service,
  startService,
} from './flow.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const mark = '\ufeff';

/** Posts a form in pieces, without saying how long it will be. */
async function sendPieces({ port }: Service, address: string, pieces: readonly Buffer[]): Promise<[number, string]> {
  const { pathname, host } = new URL(address);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: '127.0.0.1', port, method: 'POST', path: pathname, headers: { ...form, host }, agent: false },
      (response) => {
        let body = '';
        response.on('data', (part: Buffer) => (body += part.toString()));
        response.on('end', () => resolve([response.statusCode ?? 0, body]));
      },
    );
    sent.on('error', reject);
    const next = (index: number): void => {
      const piece = pieces[index];
      if (piece === undefined) sent.end();
      else sent.write(piece, () => setImmediate(next, index + 1));
    };
    sent.flushHeaders();
    next(0);
  });
}

describe('a byte order mark in front of a form', () => {
  it('is read over at the token endpoint and at revocation, however the bytes come', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service);
    await registerUser(service);
    let tokens = await connect(service, credentials);
    const clientId = credentials.client.id;
    const refreshForm = () =>
      String(
        new URLSearchParams({
          grant_type: 'refresh_token',
          client_id: clientId,
          refresh_token: String(tokens.refresh_token),
        }),
      );
    const [tokenAddress, revocation] = ['token', 'revocation'].map((name) => `${service.authUrl}/connect/${name}`) as [
      string,
      string,
    ];
    const whole = await send(service, 'POST', tokenAddress, form, mark + refreshForm());
    assert.equal(whole.status, 200, whole.body);
    tokens = whole.json();
    for (const size of [1, 2, 3, 4, 10_000]) {
      const bytes = Buffer.from(mark + refreshForm());
      const pieces = Array.from({ length: Math.ceil(Math.min(bytes.length, 12) / size) }, (_none, index) =>
        bytes.subarray(index * size, index === 11 || size > 4 ? bytes.length : (index + 1) * size),
      );
      const sent = pieces.reduce((sum, piece) => sum + piece.length, 0);
      const [status, body] = await sendPieces(service, tokenAddress, [...pieces, bytes.subarray(sent)]);
      assert.equal(status, 200, `${size}: ${body}`);
      tokens = JSON.parse(body);
    }
    const fields = new URLSearchParams({ client_id: clientId, token: String(tokens.refresh_token) });
    assert.equal((await send(service, 'POST', revocation, form, `${mark}${fields}`)).status, 200);
    assert.equal((await refresh(service, credentials, tokens.refresh_token)).status, 400);
    assert.equal((await readArticles(service, tokens.access_token)).status, 401);
  });

  it('leaves other bodies what they are: none, short ones, the mark alone, one inside', async (t) => {
    const service = await startService(t);
    const { client } = await registerClient(service);
    const address = `${service.authUrl}/connect/token`;
    for (const body of ['', 'a', 'ab', mark, `${mark}a`, `a${mark}=b`, `${mark}${mark}grant_type=refresh_token`]) {
      const answer = await send(service, 'POST', address, form, body);
      assert.deepEqual([answer.status, answer.json().error], [400, 'invalid_request'], body);
      if (body === '') continue;
      const pieces = [...Buffer.from(body)].map((byte) => Buffer.from([byte]));
      assert.equal((await sendPieces(service, address, pieces))[0], 400, body);
    }
    const asked = `grant_type=refresh_token&client_id=${client.id}&refresh_token=x`;
    assert.equal((await send(service, 'POST', address, form, asked)).json().error, 'invalid_grant');
  });

  it('is read over at sign-in', async (t) => {
    const service = await startService(t);
    const { client } = await registerClient(service);
    await registerUser(service);
    const browser = openBrowser(service);
    const marked = (at: string, fields: Record<string, string>) =>
      browser.postText(at, mark + String(new URLSearchParams(fields)));
    const request = authorizationRequest(service, client);
    const { answer, at } = await follow(service, browser, await browser.get(request.address));
    const consent = await follow(
      service,
      browser,
      await marked(at, { csrf: fieldIn(answer, 'csrf'), login: 'mia', password: goodPassword }),
    );
    const back = await follow(
      service,
      browser,
      await marked(consent.at, { csrf: fieldIn(consent.answer, 'csrf'), decision: 'allow' }),
    );
    assert.ok(callbackOf(back, request).code);
  });
});
