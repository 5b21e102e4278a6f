// Regular expressions too long for a line, from parts.

/** One expression that matches what the parts match one behind the other. */
export function joined(...parts: readonly RegExp[]): RegExp {
  return new RegExp(parts.map(({ source }) => source).join(''));
}
