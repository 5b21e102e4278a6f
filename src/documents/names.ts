// Names of kept files: all of it is ours, nothing that a client sent is in them.
import { v7 as uuidv7 } from 'uuid';

/** File extensions of the kinds of content. */
export const extensions = ['pdf', 'png', 'jpg', 'tiff', 'zpl'] as const;

export type Extension = (typeof extensions)[number];

const shape = new RegExp(
  '^[A-Z0-9]{1,3}/\\d{4}/(?:0[1-9]|1[0-2])/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\\.(?' +
    `:${extensions.join('|')})$`,
);

/**
 * A name that nothing else has: `ACM/2026/03/<uuidv7>.pdf`.
 * @param activity code of the activity
 * @param now milliseconds; year and month are those of UTC
 */
export function documentName(activity: string, extension: Extension, now: number): string {
  const [year = '', month = ''] = new Date(now).toISOString().split('-');
  return checkedName(`${activity}/${year}/${month}/${uuidv7({ msecs: now })}.${extension}`);
}

/** Whether a text is a name of this shape; only such texts ever become a path or a key. */
export function isDocumentName(text: string): boolean {
  return shape.test(text);
}

/** @throws Error for any other text: a mistake in the program, since names are never taken from outside */
export function checkedName(name: string): string {
  if (!isDocumentName(name)) throw new Error(`"${name}" is no name of a document file`);
  return name;
}
