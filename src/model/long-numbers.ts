// Numbers of a JSON text that are longer than a double can hold: their digits are kept as text, because numbers that
// identify something, such as an SSCC or a parcel, would become other ones.

/** Whether the text of a JSON number has digits, before its point if there is one, that a double does not keep. */
export function isLongNumber(text: string): boolean {
  return longNumber.test(text) && !Number.isSafeInteger(Math.trunc(Number(text)));
}

const longNumber = /^-?\d{16,}(?:\.\d+)?$/;

/** Whether a JSON text may have such numbers: most have none, and are not searched further. */
export function mayHaveLongNumbers(text: string): boolean {
  return /(?:^|[\s:,[])-?\d{16}/.test(text);
}

/**
 * Puts the long numbers of a text that is JSON in quotes. A reviver would be called for every value, at many times the
 * cost of reading.
 */
export function quoteLongNumbers(text: string): string {
  const token = /"|-?\d[\d.eE+-]*/g;
  let [result, done] = ['', 0];
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [given] = found;
    if (given === '"') token.lastIndex = endOfString(text, found.index);
    else if (isLongNumber(given)) {
      result += `${text.slice(done, found.index)}"${given}"`;
      done = token.lastIndex;
    }
  }
  return result + text.slice(done);
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
