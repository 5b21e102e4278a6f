import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

const { AUTH_URL = '', CLIENT_ID = '', REDIRECT_URI = '' } = process.env;
const here = new URL(REDIRECT_URI);
const verifier = randomBytes(32).toString('base64url');
const state = randomBytes(16).toString('base64url');

const address = new URL(`${AUTH_URL}/connect/authorize`);
address.search = new URLSearchParams({
  response_type: 'code',
  client_id: CLIENT_ID,
  redirect_uri: REDIRECT_URI,
  scope: 'svc_connect',
  state,
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
}).toString();

const code = await new Promise<string>((resolve, reject) => {
  const server = createServer((request, response) => {
    const back = new URL(request.url ?? '', REDIRECT_URI);
    if (back.pathname !== here.pathname) return response.writeHead(404).end();
    response.writeHead(200, { connection: 'close' }).end('You can close this window.');
    server.close();
    const given = back.searchParams.get('code');
    if (back.searchParams.get('state') !== state) reject(new Error('This sign-in was not begun here.'));
    else if (given === null) reject(new Error(back.searchParams.get('error') ?? 'no code'));
    else resolve(given);
  });
  server.listen(Number(here.port), here.hostname, () => console.log(`Open in a browser: ${address}`));
});

const response = await fetch(`${AUTH_URL}/connect/token`, {
  method: 'POST',
  body: new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT_URI,
    code,
    code_verifier: verifier,
  }),
});
if (!response.ok) throw new Error(await response.text());
const { access_token, expires_in } = await response.json();
console.log(JSON.stringify({ access_token, expires_in }));
