// Parses what a request says about the message in its body: resource, activity, feed, id, sequence number.
import { hash } from 'node:crypto';
import type { Call } from '../http/route.ts';
import { maxMessageIdLength, messageIdPattern } from '../feeds/message-id.ts';
import { readKey } from '../http/idempotency-key.ts';
import { dayMs, formatInstant, parseInstant } from '../model/instant.ts';
import { invalidParameter, readChoice, singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import type { Resource } from '../model/resource.ts';
import { resources } from '../resources/index.ts';

export const feedPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$';
const feedParameters = ['activity', 'feed', 'messageId', 'sequence', 'extractionDate', 'strict'] as const;

/** What a request says about its message. */
export interface FeedRequest {
  readonly resource: Resource;
  readonly activity: string;
  readonly feed: string;
  readonly messageId: string | null;
  readonly sequence: number | null;
  /** RFC 3339. */
  readonly extractionDate: string | null;
  readonly strict: boolean;
  /** Hash of the `Idempotency-Key` and its owner. */
  readonly requestKey: string | null;
}

/**
 * @param now milliseconds since 1970
 * @throws Problem `resource-not-found` for an unknown resource or activity, listing the existing ones;
 *   `invalid-parameter`, `unknown-parameter`
 */
export function readFeedRequest(call: Call, now: number): FeedRequest {
  const given = singleParameters(call.query, feedParameters);
  const resource = resourceOf(call.params.resource ?? '');
  const key = readKey(call.header('idempotency-key'));
  const { clientId, subject } = call.principal;
  return {
    resource,
    activity: activityOf(given.get('activity'), call.principal.activityCodes),
    feed: matching('feed', given.get('feed') ?? 'main', feedPattern, 'a name of 1 to 40 letters, digits, . _ -'),
    messageId:
      given.has('messageId') === false
        ? null
        : matching(
            'messageId',
            given.get('messageId') ?? '',
            messageIdPattern.source,
            `1 to ${maxMessageIdLength} visible characters`,
          ),
    sequence: sequenceOf(given.get('sequence')),
    extractionDate: instantOf(resource, given.get('extractionDate'), now),
    strict: readChoice('strict', given.get('strict'), ['true', 'false'], 'false') === 'true',
    requestKey:
      key === null
        ? null
        : hash('sha256', JSON.stringify([clientId, subject, call.method, call.path, key]), 'base64url'),
  };
}

function resourceOf(name: string): Resource {
  const found = resources.find((resource) => resource.name === name);
  if (found !== undefined) return found;
  const names = resources.map((resource) => resource.name);
  throw new Problem('resource-not-found', `There is no such resource; there are ${names.join(', ')}.`, {
    resources: names,
  });
}

/** An activity that the key has no access to and one that does not exist are treated alike. */
function activityOf(given: string | undefined, opened: readonly string[]): string {
  const [only, ...others] = opened;
  if (given === undefined) {
    if (only !== undefined && others.length === 0) return only;
    return invalidParameter('activity', `Parameter 'activity' is required: this key opens ${shown(opened)}.`);
  }
  if (opened.includes(given)) return given;
  throw new Problem('resource-not-found', `This key opens no such activity; it opens ${shown(opened)}.`, {
    activities: opened.slice(0, maxShown),
  });
}

const maxShown = 20;

function shown(codes: readonly string[]): string {
  const more = codes.length - maxShown;
  return `${codes.slice(0, maxShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function matching(name: string, text: string, pattern: string, expected: string): string {
  return new RegExp(pattern, 'u').test(text)
    ? text
    : invalidParameter(name, `Parameter '${name}': expected ${expected}.`);
}

function sequenceOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value)
    ? value
    : invalidParameter('sequence', "Parameter 'sequence': expected a whole number, 0 or more, such as 1042.");
}

function instantOf({ imageField, name }: Resource, text: string | undefined, now: number): string | null {
  if (text === undefined) return null;
  if (imageField === null)
    return invalidParameter('extractionDate', `Parameter 'extractionDate' is for stock; ${name} has no image.`);
  const instant = parseInstant(text);
  return instant === null || instant > now + dayMs
    ? invalidParameter(
        'extractionDate',
        "Parameter 'extractionDate': expected a date-time that is not in the future, such as 2026-03-02T04:00:00Z.",
      )
    : formatInstant(instant);
}
