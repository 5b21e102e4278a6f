// Remembers what was computed for a short text, in a map that cannot grow without bound.

/**
 * Gives `compute` a memory. Meant for header texts: clients send the same few over and over.
 * @param compute a pure function of the text
 * @param entries how many texts are kept; when they are used up, all are forgotten
 * @param longest texts of more characters are computed each time, so that a client cannot fill the memory
 */
export function remembering<T>(compute: (text: string) => T, entries = 200, longest = 300): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = compute(text);
    if (text.length <= longest) {
      if (known.size >= entries) known.clear();
      known.set(text, value);
    }
    return value;
  };
}
