// Users' browser sessions and allowed programs over HTTP: listed and ended.
import { type Program, programsOf } from '../../auth/account/programs.ts';
import { sessionFacts } from '../../auth/session-facts.ts';
import type { Answer, Call } from '../../http/route.ts';
import { formatInstant } from '../../model/instant.ts';
import { singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import type { User } from '../../auth/users.ts';
import { administrationEntry, told } from './request.ts';
import { type UserDependencies, userIn } from './administered-users.ts';

/** `GET /platform/users/{userId}/sessions`. @throws Problem `resource-not-found` */
export function listSessions({ store, now }: UserDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    const user = await userIn(store, call);
    const [sessions, programs] = await Promise.all([store.sessions.of(user.id, now()), programsOf(store, user, now())]);
    return told({
      sessions: sessions.map(sessionFacts).map(({ since, until, ...session }) => ({
        ...{ ...session, since: since === null ? null : formatInstant(since), until: formatInstant(until) },
      })),
      programs: programs.map(publishedProgram),
    });
  };
}

/** `POST /platform/users/{userId}/sessions/{sessionId}/end`. @throws Problem `resource-not-found` */
export function endUserSession({ store }: UserDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    const user = await userIn(store, call);
    const uid = call.params.sessionId ?? '';
    const isPossible = /^[A-Za-z0-9_-]{1,100}$/.test(uid);
    if (!isPossible || !(await store.sessions.end(user.id, uid, entryOf(call, user, 'user.session.end'))))
      throw new Problem('resource-not-found', 'The user has no such session, or it has ended.');
    return told({ ended: true });
  };
}

/** `POST /platform/users/{userId}/programs/{clientId}/end`. @throws Problem `resource-not-found` */
export function endProgram({ store }: UserDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    const user = await userIn(store, call);
    const clientId = call.params.clientId ?? '';
    const entry = entryOf(call, user, 'user.program.end', { client: clientId });
    const isPossible = /^[\x21-\x7e]{1,100}$/.test(clientId);
    if (!isPossible || (await store.oidcPayloads.endProgram(user.id, clientId, entry)) === null)
      throw new Problem('resource-not-found', 'The user has not let in such a program.');
    return told({ ended: true });
  };
}

/**
 * `POST /platform/users/{userId}/sign-out`: ends all sessions and programs. Repeating it ends those begun since.
 * @throws Problem `resource-not-found`
 */
export function signOutUser({ store, now }: UserDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    const user = await userIn(store, call);
    await store.sessions.endAll(user.id, now(), entryOf(call, user, 'user.sign-out'));
    return told({ ended: true });
  };
}

function entryOf(call: Call, { id: target, activityCodes }: User, action: string, details: unknown = null) {
  return administrationEntry(call, { action, target, activityCodes, details });
}

function publishedProgram({ since, lastUsedAt, ...program }: Program) {
  const instant = (at: number | null): string | null => (at === null ? null : formatInstant(at));
  return { ...program, since: instant(since), lastUsedAt: instant(lastUsedAt) };
}
