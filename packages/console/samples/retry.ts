const { BASE_URL, TOKEN } = process.env;

for (let attempt = 1; ; attempt += 1) {
  const response = await fetch(`${BASE_URL}/articles?limit=1`, { headers: { authorization: `Bearer ${TOKEN}` } });
  if (response.ok) {
    console.log(await response.text());
    break;
  }
  if (![429, 500, 502, 503, 504].includes(response.status) || attempt === 5) throw new Error(await response.text());
  const seconds = Number(response.headers.get('retry-after') ?? 2 ** attempt);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
