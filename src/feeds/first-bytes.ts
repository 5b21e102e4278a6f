// Recognizes the encoding of a file by its first bytes.

/**
 * `utf-8`: a byte order mark of three bytes; `utf-16`: one of two, or text without one, in which every other byte of
 * the first characters is zero; `gzip`: it is compressed. Null: none of these, so it is text or anything else.
 * @param head the first three bytes, or fewer when there are no more
 */
export function encodingShownBy(head: Uint8Array): 'utf-8' | 'utf-16' | 'gzip' | null {
  const [first, second, third] = head;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'utf-16';
  if (first === 0 || second === 0) return 'utf-16';
  return first === 0x1f && second === 0x8b ? 'gzip' : null;
}
