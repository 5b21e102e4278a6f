// Bodies of multipart/form-data, as clients send them.

/** One file in a form. */
export interface FormFile {
  readonly content: Buffer;
  /** Written into the header as it is, in UTF-8; null: no name. Default: `invoice.pdf`. */
  readonly name?: string | null;
  /** Null: none. Default: `application/pdf`. */
  readonly type?: string | null;
  /** Name of the field. Default: `file`. */
  readonly field?: string;
}

export const formBoundary = 'frontier';

/** A form of these files. */
export function formOf(files: readonly FormFile[], boundary = formBoundary): Buffer {
  const parts = files.flatMap((file) => [partHead(file, boundary), file.content, Buffer.from('\r\n')]);
  return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
}

/** What stands in front of the content of a file. */
export function partHead(
  { name = 'invoice.pdf', type = 'application/pdf', field = 'file' }: Omit<FormFile, 'content'>,
  boundary = formBoundary,
): Buffer {
  const fileName = name === null ? '' : `; filename="${name.replaceAll('"', '%22')}"`;
  const typeLine = type === null ? '' : `Content-Type: ${type}\r\n`;
  return Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${field}"${fileName}\r\n${typeLine}\r\n`);
}
