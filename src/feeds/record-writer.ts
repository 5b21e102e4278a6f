// Writes checked records to the store: one by one, or as images that appear whole.
import { OperatorError } from '../model/operator-error.ts';
import type { IncomingRecord } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import type { ImageDraft, Store } from '../store/store.ts';

/** Records by what became of them. */
interface Outcomes {
  readonly new: number;
  readonly changed: number;
  readonly unchanged: number;
}

/** One stock image of an import. */
export interface ImportedImage {
  /** Instant of the image, RFC 3339. */
  readonly at: string;
  readonly rows: number;
  readonly outcome: 'new' | 'changed' | 'unchanged';
}

/** What an import writes to. */
export interface RecordWriter {
  /** Writes one batch. */
  readonly write: (records: readonly IncomingRecord[]) => Promise<void>;
  /** Makes images visible; nothing for other resources. */
  readonly finish: () => Promise<void>;
  /** Drops what is not visible yet. */
  readonly abandon: () => Promise<void>;
  readonly outcomes: () => Outcomes;
  /** The images that were made visible; null for resources without images. */
  readonly images: () => readonly ImportedImage[] | null;
}

/** More images than this in one file can only be records with dates of their own. */
const maxImages = 1000;

/**
 * The writer that fits the resource.
 * @param onlyImage instant (RFC 3339) of the one image that is written, even if no record comes; null: those of the
 * records
 */
export function recordWriter(
  store: Store,
  resource: Resource,
  activity: string,
  onlyImage: string | null,
): RecordWriter {
  return resource.imageField === null
    ? oneByOne(store, resource, activity)
    : asImages(store, resource, activity, { imageField: resource.imageField, onlyImage });
}

function oneByOne(store: Store, resource: Resource, activity: string): RecordWriter {
  const counts = { new: 0, changed: 0, unchanged: 0 };
  return {
    async write(records) {
      for (const { outcome } of await store.records.write(resource, activity, records)) counts[outcome] += 1;
    },
    finish: async () => undefined,
    abandon: async () => undefined,
    outcomes: () => counts,
    images: () => null,
  };
}

/** One draft per image, so that a file may hold the records of several images in any order. */
function asImages(
  store: Store,
  resource: Resource,
  activity: string,
  { imageField, onlyImage }: { readonly imageField: string; readonly onlyImage: string | null },
): RecordWriter {
  const counts = { new: 0, changed: 0, unchanged: 0 };
  const drafts = new Map<string, { readonly draft: ImageDraft; rows: number }>();
  const images: ImportedImage[] = [];

  const draftOf = async (at: string): Promise<{ readonly draft: ImageDraft; rows: number }> => {
    const known = drafts.get(at);
    if (known !== undefined) return known;
    if (onlyImage !== null && at !== onlyImage) {
      throw new OperatorError(
        `The file holds a row whose ${imageField} is ${at}, not ${onlyImage}.`,
        'Give the date that the rows have, or leave --extraction-date out.',
      );
    }
    if (drafts.size === maxImages) {
      throw new OperatorError(
        `The file holds more than ${maxImages} different values of ${imageField}.`,
        `All rows of one image must have the same ${imageField}.`,
      );
    }
    const started = { draft: await store.images.draft(resource, activity, Date.parse(at)), rows: 0 };
    drafts.set(at, started);
    return started;
  };

  return {
    async write(records) {
      for (const [at, rows] of Map.groupBy(records, (record) => String(record.value[imageField]))) {
        const image = await draftOf(at);
        await image.draft.write(rows);
        image.rows += rows.length;
      }
    },
    async finish() {
      if (onlyImage !== null) await draftOf(onlyImage);
      for (const [at, { draft, rows }] of [...drafts].sort()) {
        const outcome = await draft.publish();
        drafts.delete(at);
        counts[outcome] += rows;
        images.push({ at, rows, outcome });
      }
    },
    async abandon() {
      for (const { draft } of drafts.values()) await draft.discard();
      drafts.clear();
    },
    outcomes: () => counts,
    images: () => images,
  };
}
