// The second factor of a sign-in: a code of an app (TOTP) or a recovery code; who needs one, and who has to set one up.
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';
import type { Cipher } from './cipher.ts';
import { newRecoveryCodes, recoveryHash, typedRecoveryCode } from './recovery-codes.ts';
import type { CodeOutcome } from './sign-in.ts';
import { isTotpSecret, stepOf } from './totp.ts';
import type { User } from './users.ts';

interface SecondFactorOptions {
  readonly store: Pick<Store, 'secondFactors' | 'users'>;
  readonly cipher: Cipher;
  /** Who must have one, besides users for whom it is required individually. */
  readonly secondFactorDemand: SecondFactorDemand;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Who must have a second factor: nobody, operators, everybody. */
export type SecondFactorDemand = 'optional' | 'operators' | 'required';

/** A user who changes their own sign-in, and the address of the request. */
export interface ActingUser {
  readonly user: User;
  readonly address: string;
}

export interface SecondFactor {
  /**
   * Whether this user's sign-in is complete with the password alone; it is not while a second factor still has to be
   * set up.
   */
  isPasswordEnough(user: User): boolean;
  /** Whether the user may do without one. */
  isOptional(user: User): boolean;
  /** Accepts a code of the app, or a recovery code; each is valid for one use in all processes together. */
  take(acting: ActingUser, typed: string): Promise<CodeOutcome>;
  /**
   * Sets one up, with a code that proves that the app has the secret.
   * @returns recovery codes, which are stored nowhere else: show them once; `exists`: it was set up meanwhile
   */
  add(acting: ActingUser, secret: string, typed: string): Promise<readonly string[] | 'wrong' | 'exists'>;
  /** Replaces the recovery codes; null when there is no second factor. */
  renewRecoveryCodes(acting: ActingUser): Promise<readonly string[] | null>;
  /** Removes it; false when there was none. */
  remove(acting: ActingUser): Promise<boolean>;
  /** Number of recovery codes left. */
  recoveryCodesLeft(user: User): Promise<number>;
}

export function createSecondFactor({ store, cipher, secondFactorDemand, now }: SecondFactorOptions): SecondFactor {
  const { secondFactors, users } = store;
  return {
    isPasswordEnough: (user) => isPasswordEnough(secondFactorDemand, user),
    isOptional: (user) => isOptional(secondFactorDemand, user),
    take: async (acting, typed) => {
      const { id } = acting.user;
      const stored = await users.active(id);
      if (stored === null || stored.totpSecret === null) return 'wrong';
      const code = typedCode(typed);
      if (code !== null) {
        const step = stepOf(secretIn(await cipher.decrypt(stored.totpSecret)), code, now());
        if (step === null) return 'wrong';
        return (await secondFactors.useStep(id, step)) ? 'right' : 'used';
      }
      const recovery = typedRecoveryCode(typed);
      if (recovery === null) return 'wrong';
      const hash = recoveryHash(id, recovery);
      const audit = entryOf('user.recovery-code', acting, { left: Math.max(0, stored.recoveryCodes.length - 1) });
      return (await secondFactors.useRecoveryCode(id, hash, audit)) ? 'right' : 'wrong';
    },
    add: async (acting, secret, typed) => {
      const { id } = acting.user;
      const code = typedCode(typed);
      const step = code === null || !isTotpSecret(secret) ? null : stepOf(secret, code, now());
      if (step === null) return 'wrong';
      const codes = newRecoveryCodes();
      const totpSecret = await cipher.encrypt(JSON.stringify({ secret }));
      const factor = { totpSecret, totpStep: step, recoveryCodes: codes.map((one) => recoveryHash(id, one)) };
      return (await secondFactors.add(id, factor, entryOf('user.second-factor.add', acting))) ? codes : 'exists';
    },
    renewRecoveryCodes: async (acting) => {
      const { id } = acting.user;
      const codes = newRecoveryCodes();
      const hashes = codes.map((one) => recoveryHash(id, one));
      const audit = entryOf('user.recovery-codes', acting);
      return (await secondFactors.replaceRecoveryCodes(id, hashes, audit)) ? codes : null;
    },
    remove: (acting) => secondFactors.remove(acting.user.id, entryOf('user.second-factor.remove', acting)),
    recoveryCodesLeft: async ({ id }) => (await users.active(id))?.recoveryCodes.length ?? 0,
  };
}

/** Whether this user's sign-in is complete with the password alone. */
export function isPasswordEnough(rule: SecondFactorDemand, user: User): boolean {
  return isOptional(rule, user) && !user.secondFactor;
}

function isOptional(rule: SecondFactorDemand, { operator, secondFactorRequired }: User): boolean {
  return rule !== 'required' && !(rule === 'operators' && operator) && !secondFactorRequired;
}

/** Encrypts secrets of second factors stored in clear text, once SECRET_KEY is set. */
export async function encryptStoredFactors(
  { secondFactors }: Pick<Store, 'secondFactors'>,
  cipher: Cipher,
): Promise<void> {
  if (!cipher.encrypts) return;
  for (const { id, totpSecret } of await secondFactors.list())
    if (totpSecret.startsWith('{')) await secondFactors.replaceSecret(id, totpSecret, await cipher.encrypt(totpSecret));
}

/** The audit entry for a user who changed their own sign-in. */
export function entryOf(
  action: string,
  { user, address }: ActingUser,
  details: Readonly<Record<string, unknown>> | null = null,
): NewAuditEntry {
  return {
    actorKind: 'user',
    actor: user.id,
    subject: null,
    action,
    activityCodes: user.activityCodes,
    target: user.id,
    operationId: null,
    outcome: 'accepted',
    address,
    details,
  };
}

/** Six digits, typed with or without a blank between; null: it is none. */
function typedCode(text: string): string | null {
  const code = text.replaceAll(/\s/g, '');
  return /^\d{6}$/.test(code) ? code : null;
}

function secretIn(text: string): string {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && 'secret' in value && typeof value.secret === 'string')
    return value.secret;
  throw new Error('The secret of a second factor is not in its form.');
}
