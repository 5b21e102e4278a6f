// Asks servers of others for metadata, keys and tokens: an answer is read whole, and no further than a bound.

/** Bytes of an answer, decompressed. An ID token that names ten thousand groups has half of them. */
const maxIssuerAnswerBytes = 1_048_576;

/** The answer is longer than what is read of one. */
export class AnswerTooLong extends Error {}

type BoundedRequest = Omit<RequestInit, 'body'> & { readonly body?: RequestInit['body'] | undefined };

/**
 * As `fetch`, but gives the answer when all of it is there: the time limit of the request holds for its body too, and
 * whoever parses it parses no more than `maxIssuerAnswerBytes`.
 * @throws AnswerTooLong, and what `fetch` throws
 */
export async function boundedFetch(url: string | URL, { body, ...options }: BoundedRequest): Promise<Response> {
  const answer = await fetch(url, { ...options, body: body ?? null });
  const chunks: Uint8Array[] = [];
  let size = 0;
  // To leave the loop cancels the body: the rest is not read.
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > maxIssuerAnswerBytes)
      throw new AnswerTooLong(`the answer of ${new URL(url).host} has more than ${maxIssuerAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  const { status, statusText, headers } = answer;
  return new Response(size === 0 ? null : Buffer.concat(chunks, size), { status, statusText, headers });
}
