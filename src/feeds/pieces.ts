// Cuts what is read of a message into pieces that are short work each.

/** Some 20 to 200 records: parsed at one go, since nobody else has a turn meanwhile. */
const pieceBytes = 16 * 1024;

/**
 * The same bytes in pieces of at most 16 KiB.
 * @param onBytes is told of each piece before it is given
 */
export async function* inPieces(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks)
    for (let start = 0; start < chunk.length; start += pieceBytes) {
      const piece = chunk.subarray(start, start + pieceBytes);
      onBytes(piece.length);
      yield piece;
    }
}
