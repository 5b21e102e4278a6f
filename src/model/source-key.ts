/** The natural key of a record without a key to which its source gave this number. */
export function sourceKey(id: number): string {
  return `id:${String(id).padStart(16, '0')}`;
}
