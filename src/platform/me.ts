// Tells callers of the platform interface who they are: a key or an operator, with roles and activities.
import type { Answer, Call } from '../http/route.ts';
import { singleParameters } from '../model/parameters.ts';

/** `GET /platform/me`: what the key or token of the request may do. */
export function readMe(): (call: Call) => Promise<Answer> {
  return async ({ query, principal }) => {
    singleParameters(query, []);
    const { kind, clientId: id, subject: name, roles = [], activityCodes, everything = false } = principal;
    const me = { kind: kind === 'operator' ? 'user' : 'key', id, name, roles };
    const body = JSON.stringify({ ...me, activityCodes: everything ? null : activityCodes });
    return { status: 200, headers: { 'cache-control': 'no-store' }, body, type: null };
  };
}
