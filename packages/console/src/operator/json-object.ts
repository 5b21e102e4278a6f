// In charge of JSON that an operator types.

/** The object that a text is; else a text with what is wrong with it. */
export function objectIn(text: string): object | string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : '{ … }';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
