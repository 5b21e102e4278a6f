// Recognizes what the system refused by the code of its error, such as ENOENT.

/** Whether a value that was thrown is an error with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}
