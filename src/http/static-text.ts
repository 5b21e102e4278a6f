// Responds with a text that never changes while the program runs, such as a description.
import { hash } from 'node:crypto';
import { keep } from './compress.ts';
import { matches, notModified } from './conditional.ts';
import type { Answer, Call } from './route.ts';

/** Makes the handler of such a text, which is created at the first request. */
export function staticText(make: () => Promise<string>): (call: Call) => Promise<Answer> {
  let made: Promise<{ readonly body: Buffer; readonly etag: string }> | null = null;
  return async (call) => {
    made ??= make().then((text) => ({ body: keep(Buffer.from(text)), etag: `"${hash('sha1', text, 'base64url')}"` }));
    const { body, etag } = await made.catch((error: unknown) => {
      // The next request tries again.
      made = null;
      throw error;
    });
    const headers = { 'cache-control': 'no-cache' };
    if (matches(call.header('if-none-match'), etag)) return notModified(etag, headers);
    return { status: 200, headers: { ...headers, etag }, body, type: null };
  };
}
