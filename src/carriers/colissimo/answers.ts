// Reads answers of Colissimo's label service: JSON alone, or several parts with the JSON first and the documents after
// it.
import { CarrierError, type CarrierAnswer } from '../carrier.ts';
import { isJsonObject, type JsonObject, type JsonValue, listAt, parseJson, textAt, valueAt } from '../json.ts';
import { messageIn, slsError } from './errors.ts';
import { isMultipart, parseParts, type Part } from './multipart.ts';
import { accessError, afterCreation } from '../carrier-messages.ts';

export const title = 'Colissimo';

export interface SlsAnswer {
  readonly info: JsonObject;
  /** Documents by their Content-ID without brackets: `label`, `cn23`. */
  readonly documents: ReadonlyMap<string, Buffer>;
}

/**
 * Takes an answer apart.
 * @throws CarrierError if it is a refusal, or makes no sense
 */
export async function slsAnswer(answer: CarrierAnswer): Promise<SlsAnswer> {
  const contentType = answer.headers['content-type'] ?? '';
  const parts = isMultipart(contentType)
    ? await parseParts(contentType, answer.body)
    : [{ headers: {}, body: answer.body }];
  const info = parseJson(parts?.find(isInfo)?.body ?? parts?.[0]?.body ?? Buffer.alloc(0));
  const refused = slsError(info);
  // An error beside a number does not undo the parcel.
  if (refused !== null)
    throw afterCreation(
      refused,
      title,
      [textAt(parcelIn(info), 'parcelNumber')].filter((number) => number !== ''),
    );
  const denied = accessError(title, answer, messageIn(info));
  if (denied !== null) throw denied;
  if (parts === null || !isJsonObject(info) || listAt(info, 'messages').length === 0)
    throw new CarrierError(
      'unavailable',
      `Colissimo answered with status ${answer.status} and nothing that its interface describes, or only half of it.`,
    );
  if (answer.status >= 400)
    throw new CarrierError(
      'unavailable',
      `Colissimo answered with status ${answer.status} and no reason that can be read.`,
    );
  return { info, documents: new Map(parts.filter((part) => !isInfo(part)).map((part) => [nameOf(part), part.body])) };
}

/** The member that holds the parcel; its name contains the version of the service. */
export function parcelIn(info: JsonValue | undefined): JsonValue | undefined {
  return ['labelV31Response', 'labelV3Response', 'labelV2Response']
    .map((name) => valueAt(info, name))
    .find((member) => textAt(member, 'parcelNumber') !== '');
}

function isInfo(part: Part): boolean {
  return nameOf(part) === 'jsonInfos' || /^application\/json\b/i.test(part.headers['content-type'] ?? '');
}

function nameOf(part: Part): string {
  return (part.headers['content-id'] ?? '').replace(/^<|>$/g, '');
}
