// Clients' recent requests over HTTP: what each requested, and the response.
import type { Answer, Call } from '../http/route.ts';
import { formatInstant } from '../model/instant.ts';
import { readChoice, readWhole, singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import type { LoggedRequest } from '../store/request-log.ts';
import type { Store } from '../store/store.ts';
import { json } from './feed-lines.ts';
import { readUuid } from './identifiers.ts';

/** The most requests of one answer. */
export const maxLoggedRequests = 100;

export const requestParameters = ['client', 'requestId', 'problems', 'after', 'limit'] as const;

/**
 * `GET /platform/requests`: newest first. Requests are not separated by activity, so this requires access to every
 * activity.
 * @throws Problem `activity-forbidden`, `invalid-parameter`, `unknown-parameter`
 */
export function listRequests({
  store,
}: {
  readonly store: Pick<Store, 'requestLog'>;
}): (call: Call) => Promise<Answer> {
  return async (call) => {
    const given = singleParameters(call.query, requestParameters);
    if (call.principal.everything !== true)
      throw new Problem('activity-forbidden', 'The requests of clients are shown to those of every activity alone.');
    const limit = readWhole('limit', given.get('limit'), {
      min: 1,
      max: maxLoggedRequests,
      otherwise: maxLoggedRequests,
    });
    const requests = await store.requestLog.read({
      clientId: given.get('client') ?? null,
      requestId: given.get('requestId') ?? null,
      problemsOnly: readChoice('problems', given.get('problems'), ['true', 'false'], 'false') === 'true',
      after: readUuid('after', given.get('after')),
      limit,
    });
    const last = requests.length === limit ? requests.at(-1) : undefined;
    return json({ requests: requests.map(published), after: last?.id ?? null });
  };
}

function published({ at, clientId, ...request }: LoggedRequest): Readonly<Record<string, unknown>> {
  const { id, requestId, subject, method, target, route, status, problem, detail, milliseconds, bytes } = request;
  return {
    ...{ id, requestId, at: formatInstant(at), client: clientId, subject, method, target, route, status },
    ...{ problem, detail, milliseconds, bytes, further: request.further },
  };
}
