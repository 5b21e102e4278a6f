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

/** Makes what a conversation reads its answers by. */
export function createAnswerBodies({ maxAnswerBytes, maxLargeAnswerBytes }: AnswerLimits): () => AnswerBodies {
  let taken = 0;
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
