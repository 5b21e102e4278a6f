// Finds the settings that stored carrier accounts lack, for the commands that report them.
import { accountOf, completeAccount } from '../../shipping/accounts.ts';
import { type AccountCipherSettings, createAccountCipher } from '../../auth/account-cipher.ts';
import type { Cipher } from '../../auth/cipher.ts';
import { type AccountLack, isUseless, lackOf } from '../../carriers/account-needs.ts';
import { loadCarrier } from '../../carriers/index.ts';
import { OperatorError } from '../../model/operator-error.ts';
import type { StoredCarrierAccount } from '../../store/carrier-accounts.ts';

/** What an account lacks, or why it cannot be determined. */
export type MissingSettings =
  | { readonly lack: AccountLack; readonly isUseless: boolean }
  | { readonly lack: null; readonly error: OperatorError };

/**
 * Makes the function that determines what a stored account lacks. Secrets are decrypted only if the other settings
 * leave the question open; an unusable SECRET_KEY is reported only then, and prevents nothing before.
 */
export function missingSettingsReader(
  config: AccountCipherSettings,
): (stored: StoredCarrierAccount) => Promise<MissingSettings> {
  let cipher: Cipher | undefined;
  return async (stored) => {
    const carrier = await loadCarrier(stored.carrier);
    if (carrier === null)
      return {
        lack: null,
        error: new OperatorError(`There is no carrier ${stored.carrier}.`, 'Remove the account.'),
      };
    const open = lackOf(carrier, completeAccount(carrier, stored.settings));
    if ((open.labels === null && open.tracking === null) || stored.secrets === null)
      return { lack: open, isUseless: isUseless(carrier, open) };
    try {
      cipher ??= createAccountCipher(config);
      const lack = lackOf(carrier, await accountOf(stored, carrier, cipher));
      return { lack, isUseless: isUseless(carrier, lack) };
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      return { lack: null, error };
    }
  };
}
