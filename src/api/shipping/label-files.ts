// Files of labels: stored in the document storage, and served at an address that cannot be guessed and that expires.
import { textBlock } from '../../model/text-block.ts';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { CarrierOutput } from '../../carriers/carrier.ts';
import { documentName, type Extension } from '../../documents/names.ts';
import type { DocumentStorage } from '../../documents/storage.ts';
import type { Answer, Call, Handling } from '../../http/route.ts';
import { Problem } from '../../model/problem.ts';
import type { LabelOutput } from '../../model/shipping.ts';
import type { LabelFile } from '../../store/labels.ts';
import type { Store } from '../../store/store.ts';

export interface LabelFileDependencies {
  readonly store: Pick<Store, 'labels'>;
  readonly documents: DocumentStorage;
  /** Public address of the client interface, without a slash at the end. */
  readonly baseUrl: string;
  /** Days for which a link works. */
  readonly labelRetentionDays: number;
  /** Milliseconds. */
  readonly now: () => number;
}

const extensions: Readonly<Record<string, Extension>> = {
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'application/zpl': 'zpl',
};
/** The beginning of a file's name by its output, so that none is saved over another. All others are labels. */
const fileWords: Readonly<Partial<Record<string, string>>> = {
  CashUrl: 'cash',
  CustomsUrl: 'customs',
  InvoiceUrl: 'invoice',
};
const dayMs = 86_400_000;
/** No carrier's label is larger. */
const maxFileBytes = 50 * 1_048_576;

/** How long a browser may cache a file; never longer than its link works. */
const maxCachedSeconds = 86_400;

/** A carrier's outputs for a label of an activity. */
interface Publication {
  readonly activity: string;
  readonly expeditionNumber: string;
  readonly given: readonly CarrierOutput[];
  /** Output types of the carrier. */
  readonly types: readonly string[];
  /**
   * `data`: a file that cannot be stored is embedded in its link (RFC 2397), because the carrier will not provide it a
   * second time.
   */
  readonly unstored: 'data' | 'throw';
}

/**
 * A carrier's outputs in the form of the interface. A document whose name ends in `Url` is stored and represented by a
 * link of ours; any other output that the request can ask for is base64; the rest are strings.
 * @throws Problem `unavailable` when a file cannot be stored, unless it may be embedded in its link
 */
export async function publishOutputs(
  dependencies: LabelFileDependencies,
  { activity, expeditionNumber, given, types, unstored }: Publication,
): Promise<{ readonly outputs: readonly LabelOutput[]; readonly files: readonly LabelFile[] }> {
  const outputs: LabelOutput[] = [];
  const files: LabelFile[] = [];
  const counts = new Map<string, number>();
  for (const output of given) {
    const extension = output.kind === 'document' ? extensions[output.mediaType] : undefined;
    if (output.kind !== 'document' || !output.name.endsWith('Url') || extension === undefined) {
      outputs.push({ name: output.name, value: textOf(output, types) });
      continue;
    }
    const count = (counts.get(output.name) ?? 0) + 1;
    counts.set(output.name, count);
    const place = count === 1 ? '' : `-${count}`;
    const name = `${fileWords[output.name] ?? 'label'}-${expeditionNumber}${place}.${extension}`;
    const file = await storeFile(dependencies, activity, name, output, extension).catch((error: unknown) => {
      if (unstored === 'data') return null;
      throw error;
    });
    if (file !== null) files.push(file);
    outputs.push({
      name: output.name,
      value:
        file === null
          ? `data:${output.mediaType};base64,${output.bytes.toString('base64')}`
          : `${dependencies.baseUrl}/shippings/files/${file.token}`,
    });
  }
  return { outputs, files };
}

function textOf(output: CarrierOutput, types: readonly string[]): string {
  if (output.kind === 'document') return output.bytes.toString('base64');
  return types.includes(output.name) ? Buffer.from(output.text).toString('base64') : output.text;
}

async function storeFile(
  { documents, labelRetentionDays, now }: LabelFileDependencies,
  activity: string,
  fileName: string,
  { bytes, mediaType }: Extract<CarrierOutput, { kind: 'document' }>,
  extension: Extension,
): Promise<LabelFile> {
  const received = await documents.receive(Readable.from([bytes], { objectMode: false }), { size: maxFileBytes });
  const storedAs = documentName(activity, extension, now());
  try {
    await received.keep(storedAs);
  } finally {
    await received.discard();
  }
  return {
    token: randomBytes(32).toString('base64url'),
    mediaType,
    fileName: fileName.replaceAll(/[^\w.-]/g, '_'),
    storedAs,
    size: bytes.length,
    expiresAt: now() + labelRetentionDays * dayMs,
  };
}

/**
 * `GET /shippings/files/{token}`: the bytes of a label, for anyone with its link.
 * @returns handler that throws Problem `resource-not-found`
 */
export function readLabelFile({ store, documents, labelRetentionDays, now }: LabelFileDependencies): Handling {
  const handle = async (call: Call): Promise<Answer> => {
    const token = call.params.token ?? '';
    const file = /^[\w-]{43}$/.test(token) ? await store.labels.file(token, now()) : null;
    if (file === null)
      throw new Problem(
        'resource-not-found',
        textBlock`
          This link is not known, or it has expired: links of labels work for ${labelRetentionDays}
          day${labelRetentionDays === 1 ? '' : 's'}.
        `,
      );
    const { stream, size } = await documents.open(file.storedAs);
    const lasts = Math.min(maxCachedSeconds, Math.floor((file.expiresAt - now()) / 1000));
    return {
      status: 200,
      body: stream,
      type: file.mediaType,
      headers: {
        'cache-control': `private, max-age=${lasts}, immutable`,
        'content-length': String(size),
        'content-disposition': `inline; filename="${file.fileName}"`,
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
      },
    };
  };
  return { handle };
}
