// Divides the bytes of a message into pieces that are quick to process, and lets other work run in between.
import { cooperativeYield } from '../model/cooperative-yield.ts';

/**
 * Some 5 to 50 records, read in one go, during which nothing else runs. To map a piece takes half a millisecond and
 * more, twenty times as long as to read JSON.
 */
const pieceBytes = 4 * 1024;

/**
 * The same bytes in pieces. Each is returned when it is the feed's turn, even if earlier ones yielded nothing: a file
 * may have a million lines that a mapping leaves out.
 * @param onBytes is called with each piece before it is returned
 */
export async function* inPieces(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const turn = cooperativeYield('ofFeed');
  for await (const chunk of chunks)
    for (let start = 0; start < chunk.length; start += pieceBytes) {
      await turn();
      const piece = chunk.subarray(start, start + pieceBytes);
      onBytes(piece.length);
      yield piece;
    }
}
