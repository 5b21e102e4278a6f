// Cuts what is read of a message into pieces that are short work each, and lets others have their turn in between.
import { cooperativeYield } from '../model/cooperative-yield.ts';

/** Some 20 to 200 records of JSON: parsed at one go, since nobody else has a turn meanwhile. */
const pieceBytes = 16 * 1024;

/**
 * The same bytes in pieces. Each is given when it is the feed's turn, also where nothing came of those before: a file
 * may have a million lines that a mapping leaves out.
 * @param onBytes is told of each piece before it is given
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
