// What a text costs in a request to a running server.
import type { Target } from '../target.ts';
import { ask } from '../wire.ts';
import { costOf } from './cost.ts';
import { type Measure, noise, steadyCost } from './search.ts';
import type { RequestSurface } from './surfaces.ts';

/** What the head of any request of ours has, nearly all of it the token. */
const headBytes = 800;

/** Measures by the processor time of the server's process. */
export function requestCost(target: Target): Measure<RequestSurface> {
  return async (surface, text, usual) => {
    const asked = surface.request(text);
    const request = surface.isOfFeed === true ? { ...asked, token: target.database.feedKeys.attacker } : asked;
    const headers = Object.values(request.headers ?? {}).reduce((sum, value) => sum + value.length, 0);
    const bytes = headBytes + request.path.length + Buffer.byteLength(request.body ?? '') + headers;
    let [status, answered] = [0, 0];
    const { microseconds, grown } = await steadyCost(usual + noise, () =>
      costOf(target.pid, async () => {
        const answer = await ask(target, request).catch(() => null);
        [status, answered] = [answer?.status ?? 0, answer?.body.length ?? 0];
      }),
    );
    const microsecondsPerByte = Math.max(0, microseconds - usual - noise) / bytes;
    return { surface: surface.name, text, bytes, status, answered, microseconds, grown, microsecondsPerByte };
  };
}
