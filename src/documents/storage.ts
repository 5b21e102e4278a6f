// What the program asks of the storage of document files; disk and S3 keep the same promises.
import type { Readable } from 'node:stream';

/** Bytes that can be looked at wherever one likes. */
export interface DocumentContent {
  /** Bytes. */
  readonly size: number;
  /** The bytes from `position` on, `length` of them or as many as there are. */
  readonly read: (position: number, length: number) => Promise<Buffer>;
}

/**
 * A document that has arrived whole and is not kept yet. One of `keep` and `discard` must follow, or a file stays open.
 */
export interface ReceivedDocument extends DocumentContent {
  /** Hex. */
  readonly sha256: string;
  /**
   * Puts it under its final name; it is there whole and durable when this ends, or not at all. Once. What was there is
   * replaced.
   * @param name as `documentName` makes it
   * @throws Problem `unavailable` when the storage does not take it; then nothing of it is left
   */
  readonly keep: (name: string) => Promise<void>;
  /** Forgets it. Does nothing after `keep`, or again. */
  readonly discard: () => Promise<void>;
}

/** A file that was kept. */
export interface KeptFile {
  readonly name: string;
  /** Milliseconds. */
  readonly modifiedAt: number;
}

/** Where document files are; all processes of one database share it. */
export interface DocumentStorage {
  /**
   * Takes a document in while it arrives: to a temporary file, hashed and counted on the way, never whole in memory.
   * Whatever goes wrong, the stream is destroyed and nothing of it is left.
   * @param limits most bytes
   * @throws Problem `payload-too-large`; `unavailable` when there is no room for it; else what the stream failed with
   */
  receive(content: Readable, limits: { readonly size: number }): Promise<ReceivedDocument>;
  /**
   * Opens a kept file; the stream must be read to its end or destroyed.
   * @throws Problem `unavailable` when the storage cannot be reached
   * @throws Error when there is no such file: rows name only what was kept, so files were lost
   */
  open(name: string): Promise<{ readonly stream: Readable; readonly size: number }>;
  /**
   * Bytes of a kept file; null where there is none under this name.
   * @throws Problem `unavailable` when the storage cannot be reached
   */
  sizeOf(name: string): Promise<number | null>;
  /**
   * Removes a kept file; none there is fine.
   * @throws Problem `unavailable` when it cannot be removed
   */
  remove(name: string): Promise<void>;
  /** The kept files, in no order; whatever else lies there is passed over. */
  list(): AsyncIterable<KeptFile>;
  /**
   * Removes what was being received when its process died, and was last written before an instant (milliseconds).
   * Returns how many.
   */
  removeLeftovers(before: number): Promise<number>;
  /**
   * Whether the files belong to the database that this storage was opened for. The first database that keeps or asks
   * has them.
   */
  isOurs(): Promise<boolean>;
}
