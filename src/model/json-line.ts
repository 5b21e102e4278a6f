// JSON text that is to stand on one line, as stored texts become part of an answer or a file without being parsed.

/** The same JSON on one line: a line break in JSON text is white space, because strings contain no raw one. */
export function jsonLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replaceAll(/[\r\n]+/g, ' ') : json;
}
