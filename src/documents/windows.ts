// Reads many small pieces of a document in few reads of its file, because each of those costs some 30 µs of the main
// thread, however short.
import type { DocumentContent } from './storage.ts';

/** Bytes of one read. */
export const windowLength = 65_536;
/** Windows overlap by half, so that no piece up to this length lies across the end of all of them. */
const step = windowLength / 2;
/** A page of a TIFF has its directory, its positions and its lengths in places of their own. */
const maxKept = 4;

/** Content that is read through windows. */
interface WindowedContent extends DocumentContent {
  /** How often the document itself has been read. */
  readonly reads: () => number;
}

/** Keeps the last few windows of 64 KiB; longer pieces are read as they are, and not kept. */
export function throughWindows({ size, read }: DocumentContent): WindowedContent {
  const kept = new Map<number, Buffer>();
  let reads = 0;
  const counted = (position: number, length: number): Promise<Buffer> => {
    reads += 1;
    return read(position, length);
  };
  return {
    size,
    reads: () => reads,
    read: async (position, length) => {
      if (length > step) return counted(position, length);
      const aligned = position - (position % step);
      // The window before may hold the piece too.
      const start = position + length <= aligned + step && kept.has(aligned - step) ? aligned - step : aligned;
      const bytes = kept.get(start) ?? (await counted(start, windowLength));
      // Moved to the end: the first of the map is the one that was used longest ago.
      kept.delete(start);
      kept.set(start, bytes);
      const [oldest = start] = kept.size > maxKept ? kept.keys() : [];
      if (oldest !== start) kept.delete(oldest);
      return bytes.subarray(position - start, position - start + length);
    },
  };
}
