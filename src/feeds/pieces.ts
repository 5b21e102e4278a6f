// Divides the bytes of a message into pieces that are quick to process, and lets other work run in between.
import { cooperativeYield } from '../model/cooperative-yield.ts';

/** Some 20 to 200 JSON records: parsed in one go, during which nothing else runs. */
const pieceBytes = 16 * 1024;

/**
 * The same bytes in pieces. Each is returned when it is the feed's turn, even if earlier ones yielded nothing: a file
 * may have a million lines that a mapping leaves out.
 * @param onBytes is called with each piece before it is returned
 * @param maxBytes of a piece
 */
export async function* inPieces(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
  maxBytes: number = pieceBytes,
): AsyncGenerator<Uint8Array> {
  const turn = cooperativeYield('ofFeed');
  for await (const chunk of chunks)
    for (let start = 0; start < chunk.length; start += maxBytes) {
      await turn();
      const piece = chunk.subarray(start, start + maxBytes);
      onBytes(piece.length);
      yield piece;
    }
}
