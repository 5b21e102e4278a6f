// A store whose administration a test watches, holds up or lets fail, operation by operation.
import type { Store } from '../../src/store/store.ts';

const rooms = [
  'activities',
  'users',
  'clients',
  'platformKeys',
  'signingKeys',
  'secrets',
  'oidcPayloads',
  'loginAttempts',
] as const;

/**
 * The same store, with something done before each operation on activities, users, clients, keys, secrets, sign-ins and
 * attempts.
 * @param before is told of the operation, such as `users.byLogin`; the operation fails with what it throws
 */
export function watchedStore(store: Store, before: (operation: string) => unknown): Store {
  return { ...store, ...Object.fromEntries(rooms.map((room) => [room, watched(room, store[room], before)])) };
}

function watched<T extends object>(room: string, operations: T, before: (operation: string) => unknown): T {
  return new Proxy(operations, {
    get: (target, name) => {
      const operation: unknown = Reflect.get(target, name);
      if (typeof operation !== 'function') return operation;
      return async (...given: unknown[]) => {
        await before(`${room}.${String(name)}`);
        return operation(...given);
      };
    },
  });
}
