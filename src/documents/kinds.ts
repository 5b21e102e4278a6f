// Determines the kind of a document from its bytes: PDF, PNG, JPEG, TIFF, and ZPL for labels; checks that it is
// complete and matches its declared type.
import type { ReasonCode } from '../model/reason-codes.ts';
import { textBlock } from '../model/text-block.ts';
import type { Reason } from '../model/record.ts';
import type { Extension } from './names.ts';
import type { DocumentContent } from './storage.ts';
import { truncatedTiff } from './tiff.ts';
import { type TruncationCheck, truncatedJpeg, truncatedPdf, truncatedPng } from './truncation.ts';
import { zplReason } from './zpl.ts';

/** What the request declares about a file. */
interface DeclaredFile {
  /** Last segment of the path: `invoice`, `label`. */
  readonly slug: string;
  /** `Content-Type` of the part as sent, with or without parameters; null when absent. */
  readonly mediaType: string | null;
}

/** A kind of content. */
export interface DocumentKind {
  /** For display. */
  readonly name: string;
  readonly mediaType: string;
  readonly extension: Extension;
}

/**
 * Determines the kind of a document. Its name plays no part, and the declared type only if it contradicts the bytes.
 * Reads the document at most once, in blocks: little of a PDF or TIFF, the whole of a JPEG or ZPL.
 * @returns its kind, or why it is refused: `empty`, `not-allowed`, `type-mismatch`, or `cut` when it breaks off
 */
export async function recognizeDocument(
  content: DocumentContent,
  declared: DeclaredFile,
): Promise<{ readonly kind: DocumentKind } | { readonly reason: Reason }> {
  if (content.size === 0) return refused('empty', 'The file is empty.');
  const head = await content.read(0, headLength);
  const allowed = kinds.filter(({ slugs }) => slugs === null || slugs.includes(declared.slug));
  const kind = allowed.find(({ starts }) => starts(head));
  if (kind === undefined)
    return refused(
      'not-allowed',
      `The content is ${nameOf(head)}. Allowed here: ${allowed.map(({ name }) => name).join(', ')}.`,
    );
  const type = (declared.mediaType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!typesOfAnything.includes(type) && type !== kind.mediaType && !kind.otherTypes.includes(type)) {
    return refused(
      'type-mismatch',
      textBlock`
        The file was sent as "${type.slice(0, 100).toWellFormed()}", but its content is ${kind.name}. Send it as
        ${kind.mediaType}.
      `,
    );
  }
  const found = await kind.check(content);
  return found === null
    ? { kind: { name: kind.name, mediaType: kind.mediaType, extension: kind.extension } }
    : { reason: found };
}

/** A kind with its rules. */
interface KnownKind extends DocumentKind {
  /** Other media types under which it is sent. */
  readonly otherTypes: readonly string[];
  /** The only slugs for which it is allowed; null: all. */
  readonly slugs: readonly string[] | null;
  readonly starts: (head: Buffer) => boolean;
  readonly check: (content: DocumentContent) => Promise<Reason | null>;
}

/** Number of bytes that distinguishes all kinds. */
const headLength = 512;
/** Media types that say nothing about the content, and so contradict nothing. */
const typesOfAnything = ['', 'application/octet-stream', 'binary/octet-stream', 'application/binary'];

const kinds: readonly KnownKind[] = [
  {
    name: 'PDF',
    mediaType: 'application/pdf',
    extension: 'pdf',
    otherTypes: ['application/x-pdf'],
    slugs: null,
    starts: startsWith('%PDF-'),
    check: whole('PDF', truncatedPdf),
  },
  {
    name: 'PNG',
    mediaType: 'image/png',
    extension: 'png',
    otherTypes: ['image/x-png'],
    slugs: null,
    starts: startsWith('\x89PNG\r\n\x1a\n'),
    check: whole('PNG', truncatedPng),
  },
  {
    name: 'JPEG',
    mediaType: 'image/jpeg',
    extension: 'jpg',
    otherTypes: ['image/jpg', 'image/pjpeg'],
    slugs: null,
    starts: startsWith('\xff\xd8\xff'),
    check: whole('JPEG', truncatedJpeg),
  },
  {
    name: 'TIFF',
    mediaType: 'image/tiff',
    extension: 'tiff',
    otherTypes: ['image/tif', 'image/x-tiff', 'image/x-tif'],
    slugs: null,
    starts: (head) => startsWith('II*\0')(head) || startsWith('MM\0*')(head),
    check: whole('TIFF', truncatedTiff),
  },
  {
    name: 'ZPL',
    mediaType: 'application/zpl',
    extension: 'zpl',
    otherTypes: ['application/x-zpl', 'x-application/zpl', 'text/plain', 'text/zpl'],
    slugs: ['label'],
    starts: looksLikeZpl,
    check: zplReason,
  },
];

/** Media types of all kinds. */
export const documentTypes: readonly string[] = kinds.map(({ mediaType }) => mediaType);

/** The file extension of a kind; null for an unknown media type. */
export function extensionOf(mediaType: string): Extension | null {
  return kinds.find((kind) => kind.mediaType === mediaType)?.extension ?? null;
}

/** Formats that are sent by mistake now and then, so that the error can name them. */
const others: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^PK[^\w ]/, 'a ZIP archive or an Office document'],
  [/^\xd0\xcf.\xe0/s, 'an older Office document'],
  [/^GIF8[79]a/, 'a GIF image'],
  [/^RIFF.{4}WEBP/s, 'a WebP image'],
  [/^.{4}ftyp(?:hei|hev|mif1|msf1|avif)/s, 'a HEIC or AVIF image'],
  [/^%!PS/, 'PostScript'],
  [/^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body)/i, 'an HTML page'],
  [/^(?:\xef\xbb\xbf)?\s*<(?:\?xml|svg)/i, 'XML or SVG'],
  [/^(?:\xef\xbb\xbf)?\s*[{[]\s*["{[\]}]/, 'JSON'],
];

function nameOf(head: Buffer): string {
  const known = kinds.find(({ starts }) => starts(head));
  if (known !== undefined) return known.name;
  const text = head.toString('latin1');
  return others.find(([pattern]) => pattern.test(text))?.[1] ?? 'of no kind that is known here';
}

/** @param text one character per byte */
function startsWith(text: string): (head: Buffer) => boolean {
  const bytes = Buffer.from(text, 'latin1');
  return (head) => head.subarray(0, bytes.length).equals(bytes);
}

function looksLikeZpl(head: Buffer): boolean {
  return /^(?:\xef\xbb\xbf)?[\t\r\n ]*\^XA/i.test(head.toString('latin1'));
}

function whole(name: string, missing: TruncationCheck): KnownKind['check'] {
  return async (content) => {
    const found = await missing(content);
    if (found === null) return null;
    return { code: 'cut', pointer: '', detail: `The ${name} is cut or damaged: ${found}. Send the whole file.` };
  };
}

function refused(code: ReasonCode, detail: string): { readonly reason: Reason } {
  return { reason: { code, pointer: '', detail } };
}
