// Parses JSON typed by an operator.

/** The object in a text; else a description of the fault. */
export function objectIn(text: string): object | string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : '{ … }';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
