// Numbers of a JSON text that are longer than a double can hold: their digits are kept as text, because numbers that
// identify something, such as an SSCC or a parcel, would become other ones.

/**
 * Whether the text of a JSON number has digits, before its point if there is one, that a double does not keep. Without
 * an expression that repeats: of millions of digits, one exceeds the stack.
 */
export function isLongNumber(text: string): boolean {
  const point = text.indexOf('.');
  const whole = point === -1 ? text : text.slice(0, point);
  return whole.length >= 16 && !/[eE]/.test(text) && !Number.isSafeInteger(Number(whole));
}

/** Whether a JSON text may have such numbers: most have none, and are not searched further. */
export function mayHaveLongNumbers(text: string): boolean {
  return /(?:^|[\s:,[])-?\d{16}/.test(text);
}

/**
 * Puts the long numbers of a text that is JSON in quotes. A reviver would be called for every value, at many times the
 * cost of reading.
 */
export function quoteLongNumbers(text: string): string {
  const begins = /"|(?<![\d.eE+-])-?\d{16}/g;
  let [result, done] = ['', 0];
  for (let found = begins.exec(text); found !== null; found = begins.exec(text)) {
    const start = found.index;
    begins.lastIndex = found[0] === '"' ? endOfString(text, start) : endOfNumber(text, begins.lastIndex);
    if (found[0] === '"' || !isLongNumber(text.slice(start, begins.lastIndex))) continue;
    result += `${text.slice(done, start)}"${text.slice(start, begins.lastIndex)}"`;
    done = begins.lastIndex;
  }
  return result + text.slice(done);
}

function endOfNumber(text: string, from: number): number {
  let end = from;
  while (end < text.length && '0123456789.eE+-'.includes(text.charAt(end))) end += 1;
  return end;
}

/** @returns the index behind the closing quote of a string that opens at `start`; the end of the text if it has none */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text[before - 1] === '\\') before -= 1;
    if ((end - before) % 2 === 0) return end + 1;
  }
  return text.length;
}
