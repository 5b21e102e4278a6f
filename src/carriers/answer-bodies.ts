// Reads the bodies of carriers' answers: none longer than one may be, and all together no more than there is room for.

export interface AnswerLimits {
  /** Bytes of one answer. */
  readonly maxAnswerBytes: number;
  /** Bytes of the answers of all conversations at a time, beyond the first 256 KiB of each answer. */
  readonly maxLargeAnswerBytes: number;
}

/** The answers of one conversation, which holds them until its end. */
export interface AnswerBodies {
  /**
   * Reads a body to its end.
   * @returns why not, where it is too long or there is no room for it; the rest is not read
   */
  readonly read: (answer: Response) => Promise<Buffer | 'too-large' | 'no-room'>;
  /** The conversation is over. */
  readonly end: () => void;
}

/** Of an answer: far more than nearly all have. */
const smallBytes = 262_144;

/**
 * Bytes beyond that which are taken in within one round of the event loop, of all answers together: thirty answers of
 * 19 MB that came at once held the thread for as long as their bytes went on coming.
 */
const bytesOfRound = 1_048_576;

/** Makes what a conversation reads its answers by. */
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

/** @returns what is waited for after so many bytes: nothing, or the next rounds of the event loop */
function createRounds(): (bytes: number) => Promise<void> {
  let ofRound = 0;
  let next: Promise<void> | null = null;
  const nextRound = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    ofRound = 0;
    next = null;
  };
  return async (bytes) => {
    while (ofRound >= bytesOfRound) {
      next ??= nextRound();
      await next;
    }
    ofRound += bytes;
  };
}
