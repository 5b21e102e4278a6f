// Checks whether the announced body of a request is one that its route accepts: media type, coding and length.
import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../model/problem.ts';
import { type ParameterizedValue, parameterized } from './header-parameters.ts';
import type { BodyRule } from './route.ts';

/** True where the header fields announce a body of at least one byte (RFC 9112, section 6.3). */
export function announcesBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The content coding of a body; null for none. */
export function codingOf(headers: IncomingHttpHeaders): 'gzip' | 'zstd' | null {
  const coding = codings.get(
    String(headers['content-encoding'] ?? '')
      .trim()
      .toLowerCase(),
  );
  return coding ?? null;
}

/**
 * Checks a request by its header fields, before its body is read. A request without a body passes: its handler reports
 * what is missing.
 * @param rule undefined for a route that takes no body
 * @throws Problem `unsupported-media-type` with what is acceptable in `Accept` or `Accept-Encoding` (RFC 9110, sections
 *   12.5.1 and 12.5.3), or `payload-too-large`
 */
export function checkAnnouncedBody(rule: BodyRule | undefined, headers: IncomingHttpHeaders): void {
  const sent = announcesBody(headers);
  if (rule === undefined) {
    if (sent) throw new Problem('unsupported-media-type', 'This endpoint takes no body. Send the request without one.');
    return;
  }
  const type = headers['content-type'];
  if (type !== undefined || sent) checkType(rule, type);
  checkCoding(rule, headers['content-encoding']);
  if (Number(headers['content-length'] ?? 0) > rule.limit) throw bodyTooLong(rule);
}

/** The refusal of a body that exceeds its route's limit. */
export function bodyTooLong({ limit, whenTooLong }: Pick<BodyRule, 'limit' | 'whenTooLong'>): Problem {
  const detail = `The body may have ${limit} bytes here, counted without compression.`;
  return new Problem('payload-too-large', whenTooLong === undefined ? detail : `${detail} ${whenTooLong}`);
}

/** The refusal of a body that expands too much when it is decompressed. */
export function bodyExpands(max: number): Problem {
  return new Problem(
    'payload-too-large',
    `The body is more than ${max} times as long once it is decompressed: send it uncompressed, or in several requests.`,
  );
}

const codings: ReadonlyMap<string, 'gzip' | 'zstd'> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['zstd', 'zstd'],
]);

function checkType({ types }: BodyRule, text: string | undefined): void {
  const type = text === undefined ? null : parameterized(text);
  const charset = type?.parameters.get('charset')?.toLowerCase();
  if (type === null || !types.some((one) => fits(one, type))) {
    const given =
      text === undefined
        ? 'The request has no Content-Type'
        : type === null
          ? 'The Content-Type is malformed'
          : 'The Content-Type is another one';
    throw unsupported(`${given}. This endpoint reads ${types.join(', ')}.`, types);
  }
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8' && isText(type.value)) {
    throw unsupported(
      'The charset of the body is not UTF-8. Send the body in UTF-8; the parameter charset can be left out.',
      types,
    );
  }
}

/** `application/*+json` stands for every type with this suffix. */
function fits(offered: string, { value }: ParameterizedValue): boolean {
  const [start = '', end] = offered.split('*');
  return end === undefined
    ? value === offered
    : value.length > offered.length - 1 && value.startsWith(start) && value.endsWith(end);
}

function isText(type: string): boolean {
  return /^text\/|[/+](?:json|xml)$/.test(type);
}

function unsupported(detail: string, types: readonly string[]): Problem {
  return new Problem('unsupported-media-type', detail, {}, { accept: types.join(', ') });
}

function checkCoding({ encodings }: BodyRule, text: string | undefined): void {
  const given = (text ?? '').trim().toLowerCase();
  if (given === '' || given === 'identity') return;
  const coding = codings.get(given);
  if (coding !== undefined && encodings.includes(coding)) return;
  const possible = encodings.length === 0 ? 'identity' : encodings.join(', ');
  const advice =
    encodings.length === 0
      ? 'send the body uncompressed'
      : `this endpoint undoes ${encodings.join(' and ')}, one of them, once`;
  throw new Problem(
    'unsupported-media-type',
    `The Content-Encoding is not one that can be undone here: ${advice}.`,
    {},
    { 'accept-encoding': possible },
  );
}
