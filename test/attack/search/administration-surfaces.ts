// Where who administers can put text: bodies that add activities, people, programs and keys, and what is asked for of
// them.
import { activities } from '../prepared.ts';
import type { Surface } from './search.ts';
import { inQuery, type RequestSurface } from './surfaces.ts';

/** Characters: bodies of administration are shorter than that. */
const most = 64_000;

const own = { activityCodes: [activities.attacker] };
const found: readonly RequestSurface[] = [
  bodies('user that is added', 'users', [
    grownIn('somebody', { login: 'somebody', ...own }),
    JSON.stringify({ login: 'é', operatorRoles: ['audit'], roles: ['operations'], ...own }),
  ]),
  bodies('client that is added', 'clients', [
    grownIn('Shop', { name: 'Shop', redirectUris: ['https://shop.example/back', 'http://127.0.0.1/'], ...own }),
    JSON.stringify({ name: 'Nightly', confidential: true, service: true, ...own }),
  ]),
  bodies('key that is added', 'keys', [grownIn('wms', { name: 'wms', roles: ['outbox', 'feed'], ...own }), '{}']),
  bodies('activity that is added', 'activities', [
    grownIn('Trading', { code: 'Z9', name: 'Trading' }),
    '{"code":"\\u0041"}',
  ]),
  inQuery('users after', '/platform/users?limit=500', 'after', ['user5', '\u{1f69a}']),
  inQuery('users of an activity', '/platform/users', 'activity', [activities.attacker, 'a,b']),
  inQuery('clients after', '/platform/clients', 'after', ['client5', '-']),
  inQuery('requests of a client', '/platform/requests?limit=100', 'client', ['attacker', "' or 1=1 --"]),
];

/** @param key a platform key with the roles of administration and operations, for every activity */
export function administrationSurfaces(key: string): readonly RequestSurface[] {
  return found.map((each) => ({ ...each, request: (text) => ({ ...each.request(text), token: key }) }));
}

/** A body in whose middle a text stands: that is where it is grown. */
function grownIn(text: string, body: object): string {
  const written = JSON.stringify(body);
  const at = written.indexOf(`"${text}"`) + 2;
  const blanks = ' '.repeat(Math.abs(written.length - 2 * at));
  return 2 * at < written.length ? blanks + written : written + blanks;
}

function bodies(name: string, path: string, seeds: Surface['seeds']): RequestSurface {
  const headers = { 'content-type': 'application/json' };
  return { name, most, seeds, request: (text) => ({ method: 'POST', path: `/platform/${path}`, headers, body: text }) };
}
