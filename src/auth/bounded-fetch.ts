// Fetches metadata, keys and tokens from other servers: reads each answer completely, but only up to a bound.

/** Decompressed bytes of an answer. An ID token that names ten thousand groups has half as many. */
const maxIssuerAnswerBytes = 1_048_576;

/** The answer exceeds the bound. */
export class AnswerTooLong extends Error {}

type BoundedRequest = Omit<RequestInit, 'body'> & { readonly body?: RequestInit['body'] | undefined };

/**
 * Like `fetch`, but resolves when the whole answer has arrived: the time limit of the request covers its body too, and
 * the body never exceeds `maxIssuerAnswerBytes`.
 * @throws AnswerTooLong, and what `fetch` throws
 */
export async function boundedFetch(url: string | URL, { body, ...options }: BoundedRequest): Promise<Response> {
  const answer = await fetch(url, { ...options, body: body ?? null });
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the body: the rest is not read.
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > maxIssuerAnswerBytes)
      throw new AnswerTooLong(`the answer of ${new URL(url).host} has more than ${maxIssuerAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  const { status, statusText, headers } = answer;
  return new Response(size === 0 ? null : Buffer.concat(chunks, size), { status, statusText, headers });
}
