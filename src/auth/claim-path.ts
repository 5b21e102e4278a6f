// Where a claim is in a token of another server, and what stands there.

/** A claim, or the member names that lead to it: Keycloak has its roles in `realm_access` and there in `roles`. */
export type ClaimPath = string | readonly string[];

/** JSON Schema of a path in a setting. */
export const claimPathSchema = {
  type: ['string', 'array'],
  ...{ minLength: 1, maxLength: 2048, minItems: 1, maxItems: 10 },
  items: { type: 'string', minLength: 1, maxLength: 2048 },
} as const;

/** Follows members that the token itself has; undefined where one is missing. */
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
