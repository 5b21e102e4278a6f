// Users over HTTP: listed, added, changed, invited, disabled, removed.
import { changeUser, type ChangedUser, removeUser } from '../../auth/user-changes.ts';
import { type Invited, invite } from '../../auth/invitations.ts';
import { newPassword } from '../../auth/new-password.ts';
import { addUser, disableUser, enableUser, pageOfUsers, type User, userOf } from '../../auth/users.ts';
import type { Answer, Call } from '../../http/route.ts';
import { formatInstant } from '../../model/instant.ts';
import { singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import type { EntryOf } from '../../store/audit-contract.ts';
import type { Store } from '../../store/store.ts';
import { administrationEntry, asCommanded, fieldsOf, pageOf, told } from './request.ts';

export interface UserDependencies {
  readonly store: Pick<Store, 'activities' | 'clients' | 'invitations' | 'oidcPayloads' | 'sessions' | 'users'>;
  /** Where people sign in, without a slash at the end; null: elsewhere, so that invitations are not possible. */
  readonly authUrl: string | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** `GET /platform/users`: by login, including disabled ones, without their passwords. */
export function listAllUsers({ store }: UserDependencies): (call: Call) => Promise<Answer> {
  return async ({ query }) => {
    const given = singleParameters(query, ['activity', 'after', 'limit']);
    const activity = given.get('activity') ?? null;
    const { items, after } = await pageOf(
      given,
      (page) => pageOfUsers(store, page, activity),
      ({ login }) => login,
    );
    return told({ users: items.map(publishedUser), after });
  };
}

/** `GET /platform/users/{userId}`. @throws Problem `resource-not-found` */
export function readUser({ store }: UserDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    return told(publishedUser(await userIn(store, call)));
  };
}

/**
 * `POST /platform/users`: adds one, who can only sign in after an invitation, so that nobody knows another person's
 * password.
 * @throws Problem `validation-failed`
 */
export function addOneUser(dependencies: UserDependencies): (call: Call) => Promise<Answer> {
  const { store, now } = dependencies;
  return async (call) => {
    const {
      login = '',
      activityCodes = [],
      operator = false,
      roles = [],
      ...more
    } = await fieldsOf(call, { ...wanted, secondFactorRequired: 'flag', invite: 'flag' }, ['login']);
    const { secondFactorRequired = false } = more;
    const user = await asCommanded(
      addUser(
        store,
        { login, activityCodes, operator, operatorRoles: roles, secondFactorRequired, password: newPassword() },
        now(),
        (added) =>
          administrationEntry(call, {
            ...{ action: 'user.add', target: added.id, activityCodes: added.activityCodes },
            details: { operator, ...(added.operatorRoles.length > 0 && { roles: added.operatorRoles }) },
          }),
      ),
    );
    return told({
      ...publishedUser(user),
      invitation: more.invite === true ? await invited(dependencies, call, user) : null,
    });
  };
}

const wanted = { login: 'text', activityCodes: 'texts', operator: 'flag', roles: 'texts' } as const;

/**
 * `POST /platform/users/{userId}/change`: replaces the given members.
 * @throws Problem `resource-not-found`, `validation-failed`
 */
export function changeOneUser({ store }: UserDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const given = await fieldsOf(call, { ...wanted, secondFactorRequired: 'flag' });
    const { login, activityCodes: codes, operator, roles, secondFactorRequired } = given;
    const user = await userIn(store, call);
    const wantedChange = {
      ...(login !== undefined && { login }),
      ...(operator !== undefined && { operator }),
      ...(secondFactorRequired !== undefined && { secondFactorRequired }),
      ...(codes !== undefined && {
        addedActivities: codes.filter((code) => !user.activityCodes.includes(code)),
        removedActivities: user.activityCodes.filter((code) => !codes.includes(code)),
      }),
      ...(roles !== undefined && {
        addedRoles: roles,
        removedRoles: user.operatorRoles.filter((role) => !roles.includes(role)),
      }),
    };
    const { after } = await asCommanded(changeUser(store, user.login, wantedChange, changeEntryOf(call)));
    return told(publishedUser(after));
  };
}

/**
 * `POST /platform/users/{userId}/reset-second-factor`: removes it with its recovery codes, because the phone is lost.
 * @throws Problem `resource-not-found`
 */
export function resetSecondFactor({ store }: UserDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    const user = await userIn(store, call);
    const { after } = await asCommanded(
      changeUser(store, user.login, { resetSecondFactor: true }, changeEntryOf(call)),
    );
    return told(publishedUser(after));
  };
}

/**
 * `POST /platform/users/{userId}/invite`: creates a link at which the person sets a password.
 * @throws Problem `resource-not-found`, `validation-failed` when the user is disabled
 */
export function inviteUser(dependencies: UserDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    const user = await userIn(dependencies.store, call);
    return told({ ...publishedUser(user), invitation: await invited(dependencies, call, user) });
  };
}

/** `POST /platform/users/{userId}/disable`, `…/enable` and `…/remove`. @throws Problem `resource-not-found` */
export function endUser(action: 'disable' | 'enable' | 'remove') {
  return ({ store, now }: UserDependencies) =>
    async (call: Call): Promise<Answer> => {
      singleParameters(call.query, []);
      const { login } = await userIn(store, call);
      const entryOf: EntryOf<User> = ({ id: target, activityCodes }) =>
        administrationEntry(call, { action: `user.${action}`, target, activityCodes });
      const work = {
        disable: () => disableUser(store, login, now(), entryOf),
        enable: () => enableUser(store, login, entryOf),
        remove: () => removeUser(store, login, entryOf),
      };
      return told(publishedUser(await asCommanded(work[action]())));
    };
}

/** The user that a path names. @throws Problem `resource-not-found` */
export async function userIn(store: Pick<Store, 'users'>, { params: { userId = '' } }: Call): Promise<User> {
  const stored = /^[0-9a-f-]{36}$/.test(userId) ? await store.users.byId(userId) : null;
  if (stored === null) throw new Problem('resource-not-found', 'There is no user with this id.');
  return userOf(stored);
}

async function invited({ store, authUrl, now }: UserDependencies, call: Call, user: User): Promise<Invited> {
  const details = { kind: 'invitation' };
  const audit = administrationEntry(call, {
    ...{ action: 'user.invite', target: user.id, activityCodes: user.activityCodes, details },
  });
  return asCommanded(invite(store, { user, authUrl, now: now(), audit }));
}

function changeEntryOf(call: Call): EntryOf<ChangedUser> {
  return ({ before, after }) => {
    const fields = ['activityCodes', 'operator', 'operatorRoles', 'secondFactorRequired', 'secondFactor'] as const;
    const different = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
    const details = {
      ...Object.fromEntries(different.map((field) => [field, { before: before[field], after: after[field] }])),
      // The login identifies a person.
      ...(before.login !== after.login && { login: 'changed' }),
    };
    if (Object.keys(details).length === 0) return null;
    const activityCodes = [...new Set([...before.activityCodes, ...after.activityCodes])].sort();
    return administrationEntry(call, { action: 'user.change', target: after.id, activityCodes, details });
  };
}

function publishedUser({ operatorRoles: roles, ...user }: User) {
  const instant = (at: number | null): string | null => (at === null ? null : formatInstant(at));
  return {
    ...{ ...user, roles },
    disabledAt: instant(user.disabledAt),
    createdAt: instant(user.createdAt),
    signedOutAt: instant(user.signedOutAt),
  };
}
