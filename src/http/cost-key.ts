// Whom the costs of a request count for: rates, turns, places and bytes.
import { compositeKey } from '../model/composite-key.ts';
import type { Principal } from './route.ts';

/** What a cost key is made from. */
type Recognized = Pick<Principal, 'kind' | 'clientId' | 'subject'>;

/**
 * One text for each principal: tables keep it as long as a request lasts, and a new one for each request would grow old
 * there (decision 28, garbage).
 */
const keysOfPeople = new WeakMap<Recognized, string>();

/**
 * The cost key of a principal. A person counts by themselves at each client: all people of a console sign in through
 * one client, and what one of them asks for must not be taken from the others. Programs, keys and operators have ids of
 * their own, none of which begins with a bracket, as the key of a person does.
 */
export function costKeyOf(principal: Recognized): string {
  const { kind, clientId, subject } = principal;
  if (kind !== 'client' || subject === null) return clientId;
  const known = keysOfPeople.get(principal);
  if (known !== undefined) return known;
  const key = compositeKey(clientId, subject);
  keysOfPeople.set(principal, key);
  return key;
}
