const { AUTH_URL, CLIENT_ID, CLIENT_SECRET } = process.env;

const response = await fetch(`${AUTH_URL}/connect/token`, {
  method: 'POST',
  headers: { authorization: `Basic ${btoa(`${CLIENT_ID}:${CLIENT_SECRET}`)}` },
  body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'svc_connect' }),
});
if (!response.ok) throw new Error(await response.text());
const { access_token, expires_in } = await response.json();
console.log(JSON.stringify({ access_token, expires_in }));
