// The filter of a list as comparisons selected with the mouse, and as text in the interface's own language.

export interface Comparison {
  readonly field: string;
  readonly operator: Operator;
  /** Unquoted; `a,b` for an operator with several values. */
  readonly value: string;
}

export const operators = ['==', '!=', '=in=', '=out=', '=lt=', '=le=', '=gt=', '=ge=', '=null='] as const;
export type Operator = (typeof operators)[number];

/** The text for comparisons that must all be true. */
export function filterText(comparisons: readonly Comparison[]): string {
  return comparisons.map(comparisonText).join(';');
}

/** Comparisons joined by *and*, or null when the text is more complex. */
export function comparisonsIn(text: string): readonly Comparison[] | null {
  if (text.trim() === '') return [];
  const parts = splitAtTop(text, ';');
  const found = parts.map(comparisonIn);
  return found.every((each) => each !== null) ? found : null;
}

function comparisonText({ field, operator, value }: Comparison): string {
  if (operator === '=in=' || operator === '=out=')
    return `${field}${operator}(${value
      .split(',')
      .map((each) => quoted(each.trim()))
      .join(',')})`;
  // A single star at the end stands for any ending, even in quotes.
  return `${field}${operator}${quoted(value)}`;
}

/** A value in a filter, whatever characters it has. */
export function quoted(value: string): string {
  return /^[^\s"'();,=!~<>\\]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

function comparisonIn(text: string): Comparison | null {
  const found = /^([A-Za-z][\w.]*)(==|!=|=in=|=out=|=lt=|=le=|=gt=|=ge=|=null=|<=|>=|<|>)(.*)$/s.exec(text.trim());
  if (found === null) return null;
  const [, field = '', sign = '', rest = ''] = found;
  const operator = longForms[sign] ?? sign;
  if (!isOperator(operator)) return null;
  if (operator !== '=in=' && operator !== '=out=') {
    const value = unquoted(rest);
    return value === null ? null : { field, operator, value };
  }
  const inner = /^\((.*)\)$/s.exec(rest.trim())?.[1];
  if (inner === undefined) return null;
  const values = splitAtTop(inner, ',').map(unquoted);
  // One field cannot show values that contain a comma.
  return values.every((value) => value !== null && !value.includes(','))
    ? { field, operator, value: values.join(',') }
    : null;
}

const longForms: Readonly<Record<string, string>> = { '<': '=lt=', '<=': '=le=', '>': '=gt=', '>=': '=ge=' };

function isOperator(sign: string): sign is Operator {
  return (operators as readonly string[]).includes(sign);
}

function unquoted(text: string): string | null {
  const trimmed = text.trim();
  const inner = /^(["'])(.*)\1$/s.exec(trimmed)?.[2];
  if (inner !== undefined) return inner.replaceAll(/\\(.)/gs, '$1');
  return /["'();,\s]/.test(trimmed) || trimmed === '' ? null : trimmed;
}

/** Splits outside quotes and parentheses. */
function splitAtTop(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let [part, quote, depth] = ['', '', 0];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (quote !== '') {
      if (sign === '\\') {
        part += sign + text.charAt(at + 1);
        at += 1;
        continue;
      }
      if (sign === quote) quote = '';
    } else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    else if (sign === separator && depth === 0) {
      parts.push(part);
      part = '';
      continue;
    }
    part += sign;
  }
  return [...parts, part];
}
