// The outputs of a label as files that can be displayed and saved.
import type { Client, LabelResult } from '../../../client/src/index.ts';

export interface LabelFile {
  /** The output of the carrier, such as `PdfUrl`, or `CustomsUrl` for a paper that goes with the label. */
  readonly output: string;
  /** `PDF`, `PNG`, `ZPL`, or another name given by the carrier. */
  readonly kind: string;
  readonly name: string;
  readonly mediaType: string;
  /** Address of the file, or its whole content as a `data:` URL. */
  readonly address: string;
}

/** An output that is not a file, such as the number of a parcel, or the address of the carrier's page on it. */
interface LabelText {
  readonly name: string;
  readonly value: string;
}

const images: Readonly<Record<string, string>> = {
  PngImage: 'image/png',
  JpgImage: 'image/jpeg',
  GifImage: 'image/gif',
};

/** Divides the outputs of a label into files and texts. */
export function filesOf({ expeditionNumber, outputs }: LabelResult): {
  readonly files: readonly LabelFile[];
  readonly texts: readonly LabelText[];
} {
  const files: LabelFile[] = [];
  const texts: LabelText[] = [];
  for (const { name, value } of outputs) {
    const image = images[name];
    const count = files.filter((file) => file.output === name).length;
    const stem = `label-${expeditionNumber.replaceAll(/[^\w.-]/g, '_')}${count === 0 ? '' : `-${count + 1}`}`;
    if (name.endsWith('Url') && isFile(value)) files.push(fileOf(name, stem, typeOfUrl(value), value));
    else if (image !== undefined) files.push(fileOf(name, stem, image, `data:${image};base64,${value}`));
    else if (name.endsWith('Code') && name !== 'QRCode')
      files.push(fileOf(name, stem, 'text/plain', `data:text/plain;base64,${value}`));
    else texts.push({ name, value });
  }
  return { files, texts };
}

/** The bytes of a file. */
export async function readLabelFile(client: Client, { address, mediaType }: LabelFile): Promise<Blob> {
  return address.startsWith('data:') ? bytesOf(address, mediaType) : client.shipping.file(address);
}

/** Printer languages are text, of which a page shows the beginning. */
export function textOf({ address }: LabelFile): string {
  return atob(address.slice(address.indexOf(',') + 1)).slice(0, 20_000);
}

/** Files of the service, or whole ones; a page of a carrier is none. */
function isFile(value: string): boolean {
  return value.startsWith('data:') || (/^https?:/.test(value) && value.includes('/shippings/files/'));
}

function fileOf(output: string, stem: string, mediaType: string, address: string): LabelFile {
  const kind = mediaType === 'application/pdf' ? 'PDF' : kindOf(output);
  const paper = kind === kindOf(output) ? '' : `-${kindOf(output).toLowerCase()}`;
  return { output, kind, name: `${stem}${paper}.${kind.toLowerCase()}`, mediaType, address };
}

/** `PdfUrl` → `PDF`. */
function kindOf(name: string): string {
  return name.replace(/(Url|Code|Image)$/, '').toUpperCase();
}

/** What the service gives a link to is a PDF. */
function typeOfUrl(value: string): string {
  return /^data:([\w/+.-]+)/.exec(value)?.[1] ?? 'application/pdf';
}

function bytesOf(address: string, type: string): Blob {
  const text = atob(address.slice(address.indexOf(',') + 1));
  return new Blob([Uint8Array.from(text, (character) => character.charCodeAt(0))], { type });
}
