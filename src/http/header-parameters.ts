// Header values that carry parameters, such as `Content-Type` and `Content-Disposition` (RFC 9110, section 5.6.6).

export interface ParameterizedValue {
  /** In lower case. */
  readonly value: string;
  /** By lower-case name. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Parses `value; name=token; name="quoted text"`. In quoted text, a backslash escapes only `"` and `\`: elsewhere it is
 * literal, because browsers send Windows paths unescaped.
 * @returns null when the text is malformed, or repeats a parameter, of which one reader would take the first and
 *   another the last
 */
export function parameterized(text: string): ParameterizedValue | null {
  const [start = '', value = ''] = leading.exec(text) ?? [];
  const rest = text.slice(start.length);
  const parameters = new Map<string, string>();
  let read = 0;
  for (const [whole, name, quoted, token = ''] of rest.matchAll(parameter)) {
    read += whole.length;
    if (name === undefined) continue;
    const key = name.toLowerCase();
    if (parameters.has(key)) return null;
    parameters.set(key, quoted === undefined ? token : quoted.replaceAll(/\\(["\\])/g, '$1'));
  }
  return value === '' || read < rest.length ? null : { value: value.toLowerCase(), parameters };
}

const leading = /^[ \t]*([\w!#$%&'*+.^`|~-]+(?:\/[\w!#$%&'*+.^`|~-]+)?)[ \t]*(?=;|$)/;
/**
 * Parameters may be empty, as in `a;;b=1;`; unquoted values may hold more than a token, as some boundaries do. Blanks
 * after a parameter belong to it, so that an empty one can be matched in only one way.
 */
const parameter = /;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s";]+))[ \t]*)?(?=;|$)/gy;
