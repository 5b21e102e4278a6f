// The path of a claim in a token of another server, and its value.

/** A claim, or the member names that lead to it: Keycloak keeps its roles in `roles` inside `realm_access`. */
export type ClaimPath = string | readonly string[];

/** JSON Schema of a path in a setting. */
export const claimPathSchema = {
  type: ['string', 'array'],
  ...{ minLength: 1, maxLength: 2048, minItems: 1, maxItems: 10 },
  items: { type: 'string', minLength: 1, maxLength: 2048 },
} as const;

/** Follows the token's own members; undefined when one is missing. */
export function claimOf(payload: object, path: ClaimPath): unknown {
  return [path]
    .flat()
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? Reflect.get(value, name)
          : undefined,
      payload,
    );
}
