// Where who administers can put text: bodies that add activities, people, programs and keys, and what is asked for of
// them.
import { activities } from '../prepared.ts';
import { grownIn, inBody, inQuery, type RequestSurface, underKey } from './surfaces.ts';

/** Characters: bodies of administration are shorter than that. */
const most = 64_000;

const own = { activityCodes: [activities.attacker] };
const found: readonly RequestSurface[] = [
  inBody('user that is added', 'users', most, [
    grownIn('somebody', { login: 'somebody', ...own }),
    JSON.stringify({ login: 'é', operatorRoles: ['audit'], roles: ['operations'], ...own }),
  ]),
  inBody('client that is added', 'clients', most, [
    grownIn('Shop', { name: 'Shop', redirectUris: ['https://shop.example/back', 'http://127.0.0.1/'], ...own }),
    JSON.stringify({ name: 'Nightly', confidential: true, service: true, ...own }),
  ]),
  inBody('key that is added', 'keys', most, [grownIn('wms', { name: 'wms', roles: ['outbox', 'feed'], ...own }), '{}']),
  inBody('activity that is added', 'activities', most, [
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
  return underKey(key, found);
}
