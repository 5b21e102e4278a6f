// Turns labels from carriers into outputs: a document as bytes, printer code as text.
import type { CarrierOutput } from './carrier.ts';
import { unreadable } from './carrier-messages.ts';

/** Media types of the output types that are documents; every other type is printer code. */
const documentTypes: Readonly<Record<string, string>> = {
  PdfUrl: 'application/pdf',
  PngImage: 'image/png',
  GifImage: 'image/gif',
};

/** Where a PDF may begin: readers look for its mark in the first 1,024 bytes. */
const pdfHeadBytes = 1024;

/**
 * How documents, pictures, pages, XML and JSON begin: a printer would print them as pages of characters. Commands in
 * angle brackets, such as `<STX>` and `<xpml>`, are printer code.
 */
const noCode: readonly RegExp[] = [
  /^(?:\xef\xbb\xbf)?\s*(?:%PDF-|\x89PNG|GIF8|\xff\xd8\xff|\{\s*["}]|\[\s*\{)/,
  /^(?:\xef\xbb\xbf)?\s*<(?:[!?]|(?:html|head|body|error|fault)[\s/>]|[a-z][\w.-]*(?::\w|\s+xmlns))/i,
];
const noCodeBytes = 256;

/**
 * One output of a label.
 * @param type requested output type, such as `PdfUrl` or `ZplCode`
 * @returns null if the bytes are not what the type says: an empty answer, a page instead of a PDF, a PDF instead of
 *   printer code
 */
export function labelOutput(type: string, bytes: Buffer): CarrierOutput | null {
  const mediaType = Object.hasOwn(documentTypes, type) ? documentTypes[type] : undefined;
  if (mediaType !== undefined)
    return isOf(mediaType, bytes) ? { name: type, kind: 'document', mediaType, bytes } : null;
  const head = bytes.toString('latin1', 0, noCodeBytes);
  if (noCode.some((beginning) => beginning.test(head))) return null;
  const code = printerCode(bytes);
  if (code === null) return { name: type, kind: 'document', mediaType: 'application/octet-stream', bytes };
  return code === '' ? null : { name: type, kind: 'text', text: code };
}

/**
 * The labels in one answer.
 * @param title of the carrier
 * @param labels null for a label that is not even base64
 * @throws CarrierError `unavailable` if there are none, or one is not what the type says
 */
export function labelOutputs(
  title: string,
  type: string,
  labels: readonly (Buffer | null)[],
): readonly CarrierOutput[] {
  const readable = readableLabels(type, labels);
  if (readable.length === 0 || readable.length < labels.length) throw unreadable(title, `no label of the type ${type}`);
  return readable;
}

/** Those of the labels in an answer that are what the type says. */
export function readableLabels(type: string, labels: readonly (Buffer | null)[]): readonly CarrierOutput[] {
  return labels.map((bytes) => (bytes === null ? null : labelOutput(type, bytes))).filter((output) => output !== null);
}

/** The numbers of all parcels, if there are several: the expedition number is only that of the first. */
export function parcelNumbers(numbers: readonly string[]): readonly CarrierOutput[] {
  return numbers.length > 1 ? numbers.map(parcelNumber) : [];
}

/** The number of one parcel of several. */
export function parcelNumber(text: string): CarrierOutput {
  return { name: 'ParcelNumber', kind: 'text', text };
}

/**
 * @throws CarrierError `unavailable` if there are fewer numbers than requested parcels: a parcel without a number would
 *   get lost
 */
export function requireNumbers(title: string, numbers: readonly string[], parcels: number): void {
  if (numbers.length < parcels)
    throw unreadable(title, `${numbers.length} parcel numbers where ${parcels} were asked for`);
}

/** A web address at which people can follow the parcel; nothing if the text is no such address. */
export function trackingLink(text: string): readonly CarrierOutput[] {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
    ? [{ name: 'TrackingUrl', kind: 'text', text }]
    : [];
}

function isOf(mediaType: string, bytes: Buffer): boolean {
  if (mediaType === 'application/pdf') return bytes.subarray(0, pdfHeadBytes).includes('%PDF-');
  return mediaType === 'image/png'
    ? bytes.subarray(1, 4).toString('latin1') === 'PNG'
    : bytes.subarray(0, 4).toString('latin1') === 'GIF8';
}

/** Null for bytes that are not UTF-8: they must reach the printer unchanged. A byte order mark would be printed. */
function printerCode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
