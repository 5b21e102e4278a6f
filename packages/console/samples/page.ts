const { BASE_URL, TOKEN } = process.env;

let url: string | undefined = `${BASE_URL}/orders?limit=100`;
while (url !== undefined) {
  const response: Response = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
  if (!response.ok) throw new Error(await response.text());
  for (const order of await response.json()) console.log(order.orderUniqueID);
  // The address of the next page; none on the last one.
  url = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
}
