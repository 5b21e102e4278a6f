// Fetches the PDF behind a link to a label, so that it can be stored here.
import { CarrierError, type CarrierOutput, type CarrierAnswer, type CarrierRequest, isSuccess } from '../carrier.ts';
import { labelOutput } from '../label-outputs.ts';

/** An exchange that returns a label file, null if there is none. */
type FileExchange<T> = Generator<CarrierRequest, T, CarrierAnswer>;

const outputName = 'PdfUrl';

/** Another name, because the first one holds a link of ours, or base64. */
const linkName = 'CarrierPdfUrl';

/** Where a PDF may end: readers look for its last mark in the last 1,024 bytes. */
const pdfTailBytes = 1024;

/**
 * A link of the carrier on the account's host for labels, with that host's protocol.
 * @returns null if the link leads elsewhere
 */
export function linkOn(labelOrigin: string, link: string): URL | null {
  const url = URL.parse(link, labelOrigin);
  const place = new URL(labelOrigin);
  if (url === null || url.host !== place.host || url.username !== '' || url.password !== '') return null;
  url.protocol = place.protocol;
  return url;
}

/** Fetches the PDF. Null if the answer is not a PDF, or is incomplete. */
export function* labelFile(url: URL): FileExchange<CarrierOutput | null> {
  const answer = yield {
    method: 'GET',
    url: url.href,
    headers: { Accept: 'application/pdf' },
    body: null,
    repeat: 'safe',
  };
  const { body } = answer;
  return isSuccess(answer) && body.subarray(-pdfTailBytes).includes('%%EOF') ? labelOutput(outputName, body) : null;
}

/**
 * The same for a parcel that was just created: if its PDF cannot be fetched, the carrier's own link is better than
 * nothing.
 */
export function* labelFileOrLink(labelOrigin: string, link: string, isFetched = true): FileExchange<CarrierOutput> {
  const url = linkOn(labelOrigin, link);
  try {
    const file = url === null || !isFetched ? null : yield* labelFile(url);
    if (file !== null) return file;
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
  }
  return { name: linkName, kind: 'text', text: url?.href ?? link };
}
