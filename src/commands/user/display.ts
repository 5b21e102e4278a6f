// How the commands `user …` show a user, never with the password.
import type { User } from '../../auth/users.ts';
import { instantText } from '../environment.ts';

/** A user in the JSON form of the command line. */
export function describedUser(user: User): Readonly<Record<string, unknown>> {
  return {
    ...user,
    disabledAt: instantText(user.disabledAt),
    createdAt: instantText(user.createdAt),
    signedOutAt: instantText(user.signedOutAt),
  };
}

/** Whether a user has a second factor, and whether it is required. */
export function secondFactorText({
  secondFactor,
  secondFactorRequired,
}: Pick<User, 'secondFactor' | 'secondFactorRequired'>): string {
  if (!secondFactorRequired) return secondFactor ? 'set up' : 'none';
  return secondFactor ? 'set up, required' : 'none, required';
}

/** Whether a user is an operator, and with which roles. */
export function operatorText({ operator, operatorRoles }: Pick<User, 'operator' | 'operatorRoles'>): string {
  if (!operator) return 'no';
  return operatorRoles.length === 0 ? 'yes' : `yes: ${operatorRoles.join(' ')}`;
}

/** What a user may do, as the end of a sentence. */
export function mayText({
  activityCodes,
  operator,
  operatorRoles: roles,
}: Pick<User, 'activityCodes' | 'operator' | 'operatorRoles'>): string {
  return [
    ...(operator ? [`is an operator${roles.length === 0 ? '' : ` (${roles.join(', ')})`}`] : []),
    activityCodes.length > 0 ? `may act in ${activityCodes.join(', ')}` : 'may act in no activity',
  ].join(' and ');
}
