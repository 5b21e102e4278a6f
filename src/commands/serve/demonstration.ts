// The demonstration of `serve --demo`: data in an empty database, and a separate login for each database.
import { addClient, type Client, findClient } from '../../auth/clients.ts';
import { classifyRedirect } from '../../auth/redirect.ts';
import { demoClientId, demoLogin, demoMark, demoRedirects } from '../../demo/demo-client.ts';
import { addUser, findUser, type User } from '../../auth/users.ts';
import { newPassword } from '../../auth/new-password.ts';
import { platformRoles } from '../../auth/platform-roles.ts';
import type { Store } from '../../store/store.ts';

/**
 * The credentials of the demonstration. The user is also an operator with every role, so that one login shows
 * everything.
 */
export interface Demonstration {
  readonly user: User;
  readonly password: string;
  readonly client: Client;
}

/**
 * Offers the demonstration: fills an empty database, and keeps one that was filled before. A start that was interrupted
 * is completed by the next one, with the same data.
 * @param baseUrl of the interface, whose reference page signs in as the same client
 * @param seed fills the activities as of an instant; the same instant gives the same data
 * @param now milliseconds since 1970
 * @returns null when the database has activities of its own, which the demonstration leaves alone
 */
export async function offerDemonstration(
  store: Store,
  baseUrl: string,
  seed: (instant: number) => Promise<void>,
  now: number,
): Promise<Demonstration | null> {
  const begun = await store.secrets.read(passwordName);
  if (begun === null && (await store.activities.list()).length > 0) return null;
  const password = await store.secrets.obtain(passwordName, newPassword);
  const instant = Number(await store.secrets.obtain(demoMark, () => String(now)));
  if ((await findUser(store, demoLogin)) === null) await seed(instant);
  const activityCodes = (await store.activities.list()).map(({ code }) => code);
  const client = await once(
    () => findClient(store, demoClientId),
    () =>
      addClient(
        store,
        {
          name: 'Demonstration',
          redirectUris: redirectsOf(baseUrl),
          activityCodes,
          readOnly: false,
          confidential: false,
        },
        now,
        demoClientId,
      ),
  );
  const user = await once(
    () => findUser(store, demoLogin),
    () =>
      addUser(store, { login: demoLogin, password, activityCodes, operator: true, operatorRoles: platformRoles }, now),
  );
  return { user, password, client };
}

/** Programs on this machine, tools for trying things out, and the reference page if it is on this machine too. */
function redirectsOf(baseUrl: string): readonly string[] {
  const page = `${baseUrl}/docs/oauth2-redirect.html`;
  return [...demoRedirects, ...(classifyRedirect(page).kind === 'native' ? [page] : [])];
}

const passwordName = 'demo-password';

/** Finds or creates something that two processes may create at once. */
async function once<T>(find: () => Promise<T | null>, make: () => Promise<unknown>): Promise<T> {
  const known = await find();
  if (known !== null) return known;
  try {
    await make();
  } catch (error) {
    const made = await find();
    if (made === null) throw error;
    return made;
  }
  const made = await find();
  if (made === null) throw new Error('What was just stored is not there.');
  return made;
}
