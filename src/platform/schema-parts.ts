// Building blocks for the schemas of the platform interface.
import type { Json } from '../http/openapi.ts';

export const text = (description: string, maxLength = 255, more: Json = {}): Json => ({
  type: 'string',
  description,
  maxLength,
  ...more,
});
export const orNull = (description: string, maxLength = 255): Json => ({
  type: ['string', 'null'],
  description,
  maxLength,
});
export const uuid = (description: string): Json => text(description, 36, { format: 'uuid' });
export const instant = (description: string): Json => text(description, 24, { format: 'date-time' });
export const whole = (description: string): Json => ({
  type: 'integer',
  format: 'int64',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description,
});

export function record(
  description: string,
  properties: Readonly<Record<string, Json>>,
  optional: readonly string[] = [],
): Json {
  return {
    type: 'object',
    description,
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
  };
}
