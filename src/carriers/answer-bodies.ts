// Reads the bodies of carriers' answers, with a limit for each answer and one for all of them together.

/** Bytes of one answer that readers of XML and JSON can be given. */
export const maxAnswerBytes = 20 * 1024 * 1024;

export interface AnswerLimits {
  /** Bytes of one answer. */
  readonly maxAnswerBytes: number;
  /** Bytes of the answers of all current exchanges, beyond the first 256 KiB of each answer. */
  readonly maxLargeAnswerBytes: number;
}

/** The answers of one exchange, which holds them until it ends. */
export interface AnswerBodies {
  /**
   * Reads a body to its end.
   * @returns the reason if the body is too long or there is no room for it; the rest is not read
   */
  readonly read: (answer: Response) => Promise<Buffer | 'too-large' | 'no-room'>;
  /** Ends the exchange. */
  readonly end: () => void;
}

/** Of one answer: far more than most answers have. */
const smallBytes = 262_144;

/**
 * Bytes beyond that which all answers together may take in within one round of the event loop: thirty answers of 19 MB
 * arriving at once held the thread until all their bytes had arrived.
 */
const maxBytesPerTurn = 1_048_576;

/** Makes what an exchange reads its answers by. */
export function createAnswerBodies({ maxAnswerBytes, maxLargeAnswerBytes }: AnswerLimits): () => AnswerBodies {
  let taken = 0;
  const turnOf = createRounds();
  return () => {
    let own = 0;
    return {
      read: async ({ body }) => {
        const chunks: Uint8Array[] = [];
        let size = 0;
        for await (const chunk of body ?? []) {
          const large = Math.max(0, size + chunk.length - smallBytes) - Math.max(0, size - smallBytes);
          size += chunk.length;
          if (size > maxAnswerBytes) return 'too-large';
          if (taken + large > maxLargeAnswerBytes) return 'no-room';
          own += large;
          taken += large;
          chunks.push(chunk);
          if (large > 0) await turnOf(large);
        }
        return Buffer.concat(chunks, size);
      },
      end: () => {
        taken -= own;
        own = 0;
      },
    };
  };
}

/** @returns what to wait for after that many bytes: nothing, or the next rounds of the event loop */
function createRounds(): (bytes: number) => Promise<void> {
  let ofRound = 0;
  let next: Promise<void> | null = null;
  const nextRound = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    ofRound = 0;
    next = null;
  };
  return async (bytes) => {
    while (ofRound >= maxBytesPerTurn) {
      next ??= nextRound();
      await next;
    }
    ofRound += bytes;
  };
}
