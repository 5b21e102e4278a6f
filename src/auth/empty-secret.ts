// Treats `Authorization: Basic` with an id and an empty secret as a client without a secret. Postman and Insomnia send
// it by default; the provider would refuse it whoever the client is.
import type { IncomingMessage } from 'node:http';

/** Bytes of a form; the provider refuses longer ones anyway. */
const maxFormBytes = 65_536;

/**
 * Moves the id of such a header into the form, where a client without a secret sends it (RFC 6749, 3.2.1). This does
 * not admit a client that has a secret. A form that names another client is left alone, and refused.
 */
export function takeEmptySecretForNone(request: IncomingMessage): void {
  const id = idWithoutSecret(request.headers.authorization);
  if (id === null || request.method !== 'POST') return;
  const iterator = request.iterator.bind(request);
  const read: IncomingMessage['iterator'] = (options) => withClientId(request, iterator(options), id);
  Object.assign(request, { iterator: read });
  // The form grows, so its length is no longer known.
  delete request.headers['content-length'];
  request.headers['transfer-encoding'] = 'chunked';
}

async function* withClientId(
  { headers }: IncomingMessage,
  pieces: AsyncIterable<Buffer>,
  id: string,
): AsyncGenerator<Buffer, undefined, undefined> {
  let form = Buffer.alloc(0);
  for await (const piece of pieces) {
    form = Buffer.concat([form, piece]);
    if (form.length > maxFormBytes) break;
  }
  const given = new URLSearchParams(form.toString()).getAll('client_id');
  if (given.length === 0 || (given.length === 1 && given[0] === id)) delete headers.authorization;
  yield form;
  if (given.length === 0) yield Buffer.from(`&client_id=${encodeURIComponent(id)}`);
}

/** The id in a header with an id and an empty secret; null for any other header. */
function idWithoutSecret(authorization: string | undefined): string | null {
  const [, encoded = ''] = /^basic ([A-Za-z0-9+/]{1,600}={0,2})$/i.exec(authorization ?? '') ?? [];
  const [, id = ''] = /^([\x21-\x39\x3b-\x7e]+):$/.exec(Buffer.from(encoded, 'base64').toString('latin1')) ?? [];
  try {
    return id === '' ? null : decodeURIComponent(id.replaceAll('+', '%20'));
  } catch {
    return null;
  }
}
