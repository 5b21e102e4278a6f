// How the files of a feed become records: by the mapping file with its name, or directly if it is named like a
// resource.
import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { hasCode } from '../../model/error-code.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { textBlock } from '../../model/text-block.ts';
import type { Resource } from '../../model/resource.ts';
import { type Mapping, readMapping } from '../mapping/compile.ts';
import { type DropFault, cannotRead, type FeedPlace } from './drop-places.ts';

export type FileFormat =
  | {
      readonly kind: 'mapping';
      readonly mapping: Mapping;
      /** Relative to the folder `mappings`. */
      readonly file: string;
      /** Digest of its text. */
      readonly version: string;
    }
  | { readonly kind: 'resource'; readonly resource: Resource }
  | { readonly kind: 'fault'; readonly fault: DropFault };

/** Finds the format of a feed, each time anew, because a mapping may be corrected while the server runs. */
export type FileFormats = (place: Pick<FeedPlace, 'activity' | 'name'>) => Promise<FileFormat>;

/** Bytes of a mapping file. */
const maxMappingBytes = 1024 * 1024;

/**
 * @param root the configured folder
 * @param resources all existing ones
 */
export function fileFormatsIn(root: string, resources: readonly Resource[]): FileFormats {
  const known = new LRUCache<string, { readonly version: string; readonly format: FileFormat }>({ max: 1000 });
  const mappingAt = async (file: string): Promise<FileFormat | null> => {
    const path = join(root, 'mappings', file);
    try {
      const found = await stat(path);
      // Opening a pipe would block.
      if (!found.isFile()) return noFile;
      const version = `${found.ino}:${found.size}:${found.mtimeMs}`;
      const before = known.get(path);
      if (before?.version === version) return before.format;
      const format = found.size > maxMappingBytes ? tooLong : formatOf(await readFile(path, 'utf8'), file, resources);
      known.set(path, { version, format });
      return format;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      return { kind: 'fault', fault: { ...cannotRead(error), code: 'mapping-unreadable' } };
    }
  };
  return async ({ activity, name }) => {
    const own = (await mappingAt(join(activity, `${name}.json`))) ?? (await mappingAt(`${name}.json`));
    if (own !== null) return own;
    const resource = resources.find((each) => each.name === name);
    return resource === undefined ? none(activity, name) : { kind: 'resource', resource };
  };
}

function formatOf(text: string, file: string, resources: readonly Resource[]): FileFormat {
  try {
    const version = hash('sha256', text, 'base64url');
    return { kind: 'mapping', mapping: readMapping(text, file, resources), file, version };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { kind: 'fault', fault: { code: 'bad-mapping', detail: error.message, remedy: error.remedy } };
  }
}

const noFile: FileFormat = {
  kind: 'fault',
  fault: { code: 'mapping-unreadable', detail: 'The mapping is no regular file.', remedy: 'Put a file in its place.' },
};

const tooLong: FileFormat = {
  kind: 'fault',
  fault: { code: 'bad-mapping', detail: `The mapping is longer than ${maxMappingBytes} bytes.`, remedy: 'Shorten it.' },
};

function none(activity: string, name: string): FileFormat {
  const detail = textBlock`
    There is neither mappings/${activity}/${name}.json nor mappings/${name}.json, and no resource ${name}.
  `;
  return { kind: 'fault', fault: { code: 'no-mapping', detail, remedy: 'Write the mapping file; see docs/feeds.md.' } };
}
