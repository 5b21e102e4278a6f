// Takes `Authorization: Basic` with an id and no secret for what it is: a client that has none. Postman and Insomnia
// send it unless they are told otherwise; the provider would refuse it whoever the client is.
import type { IncomingMessage } from 'node:http';

/** Bytes of a form; longer ones are refused by the provider anyway. */
const maxFormBytes = 65_536;

/**
 * Makes the provider find the id of such a header in the form, as a client without a secret sends it (RFC 6749, 3.2.1).
 * A client that has a secret is not let in by that. A form that names another client stays as it is, and is refused.
 */
export function takeEmptySecretForNone(request: IncomingMessage): void {
  const id = idWithoutSecret(request.headers.authorization);
  if (id === null || request.method !== 'POST') return;
  const iterator = request.iterator.bind(request);
  const read: IncomingMessage['iterator'] = (options) => withClientId(request, iterator(options), id);
  Object.assign(request, { iterator: read });
  // The form becomes longer, and its length is not known any more.
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

/** The id of a header that has an id and an empty secret; null for every other one. */
function idWithoutSecret(authorization: string | undefined): string | null {
  const [, encoded = ''] = /^basic ([A-Za-z0-9+/]{1,600}={0,2})$/i.exec(authorization ?? '') ?? [];
  const [, id = ''] = /^([\x21-\x39\x3b-\x7e]+):$/.exec(Buffer.from(encoded, 'base64').toString('latin1')) ?? [];
  try {
    return id === '' ? null : decodeURIComponent(id.replaceAll('+', '%20'));
  } catch {
    return null;
  }
}
