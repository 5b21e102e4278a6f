// Names of kept files: generated entirely by us, without anything that a client sent.
import { v7 as uuidv7 } from 'uuid';

/** File extensions of the supported kinds. */
export const extensions = ['pdf', 'png', 'jpg', 'tiff', 'zpl'] as const;

export type Extension = (typeof extensions)[number];

const shape = new RegExp(
  '^[A-Z0-9]{1,3}/\\d{4}/(?:0[1-9]|1[0-2])/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\\.(?' +
    `:${extensions.join('|')})$`,
);

/**
 * A unique name: `ACM/2026/03/<uuidv7>.pdf`.
 * @param activity code of the activity
 * @param now milliseconds; year and month are in UTC
 */
export function documentName(activity: string, extension: Extension, now: number): string {
  const [year = '', month = ''] = new Date(now).toISOString().split('-');
  return checkedName(`${activity}/${year}/${month}/${uuidv7({ msecs: now })}.${extension}`);
}

/** Whether a text has the form of such a name; no other text ever becomes a path or a key. */
export function isDocumentName(text: string): boolean {
  return shape.test(text);
}

/** @throws Error for any other text: a bug, because names never come from outside */
export function checkedName(name: string): string {
  if (!isDocumentName(name)) throw new Error(`"${name}" is no name of a document file`);
  return name;
}
