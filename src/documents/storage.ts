// The interface of the document storage; disk and S3 make the same guarantees.
import type { Readable } from 'node:stream';

/** Content with random access. */
export interface DocumentContent {
  /** Bytes. */
  readonly size: number;
  /** Reads `length` bytes from `position`, or as many as there are. */
  readonly read: (position: number, length: number) => Promise<Buffer>;
}

/**
 * A document that has arrived completely and is not yet kept. Either `keep` or `discard` must follow, or a file stays
 * open.
 */
export interface ReceivedDocument extends DocumentContent {
  /** Hex. */
  readonly sha256: string;
  /**
   * Moves it to its final name; when this returns, it is complete and durable there, or not there at all. May be called
   * once. Replaces an existing file.
   * @param name made by `documentName`
   * @throws Problem `unavailable` when the storage does not accept it; then nothing of it remains
   */
  readonly keep: (name: string) => Promise<void>;
  /** Discards it. Does nothing after `keep`, or when repeated. */
  readonly discard: () => Promise<void>;
}

/** A kept file. */
export interface KeptFile {
  readonly name: string;
  /** Milliseconds. */
  readonly modifiedAt: number;
}

export interface ReceiveLimits {
  readonly size: number;
  readonly leavesReserve?: true;
}

/** The storage of document files, shared by all processes of one database. */
export interface DocumentStorage {
  /**
   * Receives a document as it arrives: into a temporary file, hashed and counted on the way, never entirely in memory.
   * On any failure, the stream is destroyed and nothing remains.
   * @param limits maximum size in bytes; `leavesReserve`: refused while the disk has too little left for the database
   * @throws Problem `payload-too-large`; `unavailable` when there is no room for it; otherwise the error of the stream
   */
  receive(content: Readable, limits: ReceiveLimits): Promise<ReceivedDocument>;
  /**
   * Opens a kept file; the stream must be read to its end or destroyed.
   * @throws Problem `unavailable` when the storage cannot be reached
   * @throws Error when there is no such file: rows name only kept files, so files were lost
   */
  open(name: string): Promise<{ readonly stream: Readable; readonly size: number }>;
  /**
   * Size of a kept file in bytes; null when there is none with this name.
   * @throws Problem `unavailable` when the storage cannot be reached
   */
  sizeOf(name: string): Promise<number | null>;
  /**
   * Removes a kept file; does nothing when it does not exist.
   * @throws Problem `unavailable` when it cannot be removed
   */
  remove(name: string): Promise<void>;
  /** The kept files, in no particular order; anything else in the storage is ignored. */
  list(): AsyncIterable<KeptFile>;
  /**
   * Removes files that were being received when their process died, if last written before an instant (milliseconds).
   * Returns how many.
   */
  removeLeftovers(before: number): Promise<number>;
  /**
   * Whether the files belong to the database that this storage was opened for. They belong to the first database that
   * stores or asks.
   */
  isOurs(): Promise<boolean>;
}
