// The PDF behind a link to a label, fetched so that it can be kept here.
import { CarrierError, type CarrierOutput, type WireAnswer, type WireRequest } from '../carrier.ts';
import { labelOutput } from '../label-outputs.ts';

/** A conversation that gives a label file, null where there is none. */
type FileConversation<T> = Generator<WireRequest, T, WireAnswer>;

const outputName = 'PdfUrl';

/** Another name: what stands under the first one is a link of ours, or base64. */
const linkName = 'CarrierPdfUrl';

/** Where a PDF may end: readers look for its last mark in the last 1,024 bytes. */
const pdfTail = 1024;

/**
 * A link of the carrier on the host that the account knows for labels, always protected as that host is.
 * @returns null where the link leads elsewhere
 */
export function linkOn(labelOrigin: string, link: string): URL | null {
  const url = URL.parse(link, labelOrigin);
  const place = new URL(labelOrigin);
  if (url === null || url.host !== place.host || url.username !== '' || url.password !== '') return null;
  url.protocol = place.protocol;
  return url;
}

/** Fetches the PDF. Null where the answer is none, or half of one. */
export function* labelFile(url: URL): FileConversation<CarrierOutput | null> {
  const { status, body } = yield {
    method: 'GET',
    url: url.href,
    headers: { Accept: 'application/pdf' },
    body: null,
    repeat: 'safe',
  };
  return status === 200 && body.subarray(-pdfTail).includes('%%EOF') ? labelOutput(outputName, body) : null;
}

/**
 * The same for a parcel that was just made: where its PDF cannot be had, the carrier's own link is better than nothing.
 */
export function* labelFileOrLink(labelOrigin: string, link: string, isFetched = true): FileConversation<CarrierOutput> {
  const url = linkOn(labelOrigin, link);
  try {
    const file = url === null || !isFetched ? null : yield* labelFile(url);
    if (file !== null) return file;
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
  }
  return { name: linkName, kind: 'text', text: url?.href ?? link };
}
