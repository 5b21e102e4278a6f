// The bytes of a document as a response: to be saved under its name, never to be displayed inside a page.
import type { Readable } from 'node:stream';
import type { Answer } from './route.ts';

interface AnsweredDocument {
  readonly id: string;
  /** Name that the client gave the file; null: none. */
  readonly fileName: string | null;
  readonly mediaType: string;
  /** Hex. */
  readonly sha256: string;
}

/** The file as uploaded, with its name (RFC 6266) and its SHA-256 (RFC 9530). */
export function documentAnswer(
  { id, fileName, mediaType, sha256 }: AnsweredDocument,
  { stream, size }: { readonly stream: Readable; readonly size: number },
): Answer {
  const name = encodeURIComponent(fileName ?? id).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return {
    status: 200,
    headers: {
      'cache-control': 'no-store',
      'content-length': String(size),
      'content-disposition': `attachment; filename*=UTF-8''${name}`,
      'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
    },
    body: stream,
    type: mediaType,
  };
}
