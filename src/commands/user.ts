// The command `user`: the people who sign in.
import { passwordFault } from '../auth/passwords.ts';
import {
  addUser as add,
  changePassword,
  disableUser as disable,
  enableUser as enable,
  knownUser,
  listUsers as readUsers,
  type NewUser,
  type User,
  userFaults,
} from '../auth/users.ts';
import { OperatorError } from '../model/operator-error.ts';
import { recordCommand } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { readNewPassword } from './password.ts';
import { withStore } from './storage.ts';
import { minuteText, writeTable } from './table.ts';

/**
 * Adds a user, after reading the password.
 * @throws OperatorError with everything that is wrong
 */
export async function addUser(
  environment: Environment,
  wanted: Omit<NewUser, 'password'> & { readonly json: boolean },
): Promise<ExitCode> {
  refuse(userFaults(wanted));
  const password = await readNewPassword(environment, wanted.login, (given) => {
    const fault = passwordFault(given, wanted.login);
    refuse(fault === null ? [] : [fault]);
  });
  const user = await withStore(environment, async (store) => {
    const added = await add(store.db, { ...wanted, password }, environment.now());
    await recordCommand(environment, store, {
      action: 'user.add',
      target: added.id,
      activityCodes: added.activityCodes,
      details: { operator: added.operator },
    });
    return added;
  });
  if (wanted.json) writeJson(environment.stdout, described(user));
  else {
    const may = [
      user.operator ? 'may administer the service' : '',
      user.activityCodes.length > 0 ? `may act in ${user.activityCodes.join(', ')}` : '',
    ].filter((text) => text !== '');
    environment.stdout.write(`User ${user.login} ${may.join(' and ')}.\n`);
  }
  return exitCodes.done;
}

/** Lists the users by login, disabled ones too; never their passwords. */
export async function listUsers(environment: Environment, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const users = await withStore(environment, (store) => readUsers(store.db));
  if (json) writeJson(environment.stdout, users.map(described));
  else {
    writeTable(
      environment.stdout,
      ['LOGIN', 'ACTIVITIES', 'OPERATOR', 'CREATED', 'DISABLED'],
      users.map((user) => [
        user.login,
        user.activityCodes.join(' '),
        user.operator ? 'yes' : 'no',
        minuteText(user.createdAt),
        minuteText(user.disabledAt),
      ]),
    );
  }
  return exitCodes.done;
}

/** @throws OperatorError when there is no such user */
export async function disableUser(
  environment: Environment,
  { login, json }: { readonly login: string; readonly json: boolean },
): Promise<ExitCode> {
  const user = await withStore(environment, async (store) => {
    const disabled = await disable(store.db, login, environment.now());
    await recordCommand(environment, store, {
      action: 'user.disable',
      target: disabled.id,
      activityCodes: disabled.activityCodes,
    });
    return disabled;
  });
  if (json) writeJson(environment.stdout, described(user));
  else
    environment.stdout.write(
      `User ${user.login} is disabled since ${minuteText(user.disabledAt)}; tokens in hand stop within a minute.\n`,
    );
  return exitCodes.done;
}

/** @throws OperatorError when there is no such user */
export async function enableUser(
  environment: Environment,
  { login, json }: { readonly login: string; readonly json: boolean },
): Promise<ExitCode> {
  const user = await withStore(environment, async (store) => {
    const enabled = await enable(store.db, login);
    await recordCommand(environment, store, {
      action: 'user.enable',
      target: enabled.id,
      activityCodes: enabled.activityCodes,
    });
    return enabled;
  });
  if (json) writeJson(environment.stdout, described(user));
  else environment.stdout.write(`User ${user.login} may sign in again, with the password of before.\n`);
  return exitCodes.done;
}

/**
 * Gives a user a new password, after reading it.
 * @throws OperatorError when there is no such user, or the password will not do
 */
export async function changeUserPassword(
  environment: Environment,
  { login, json }: { readonly login: string; readonly json: boolean },
): Promise<ExitCode> {
  const user = await withStore(environment, async (store) => {
    const known = await knownUser(store.db, login);
    const password = await readNewPassword(environment, known.login, (given) => {
      const fault = passwordFault(given, known.login);
      refuse(fault === null ? [] : [fault], 'Nothing was changed.');
    });
    const changed = await changePassword(store.db, login, password, environment.now());
    await recordCommand(environment, store, {
      action: 'user.password',
      target: changed.id,
      activityCodes: changed.activityCodes,
    });
    return changed;
  });
  if (json) writeJson(environment.stdout, described(user));
  else environment.stdout.write(`User ${user.login} has a new password, and must sign in anew everywhere.\n`);
  return exitCodes.done;
}

function refuse(faults: readonly string[], remedy = 'Nothing was added.'): void {
  if (faults.length > 0) throw new OperatorError(faults.join(' '), remedy);
}

function described(user: User): Readonly<Record<string, unknown>> {
  return {
    ...user,
    disabledAt: instantText(user.disabledAt),
    createdAt: instantText(user.createdAt),
    signedOutAt: instantText(user.signedOutAt),
  };
}
