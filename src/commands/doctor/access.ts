// Checks access: signing keys, demonstration credentials, and whether anyone can sign in at all.
import { createCipher } from '../../auth/cipher.ts';
import { countEncrypted, encryptedPlaces, type EncryptedCount } from '../../auth/encrypted-places.ts';
import type { Config } from '../../config.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { textBlock } from '../../model/text-block.ts';
import { createCarrierAccounts } from '../../store/carrier-accounts.ts';
import { createClients } from '../../store/clients.ts';
import type { Engine } from '../../store/engine.ts';
import { countParties } from '../../store/inspection.ts';
import { createSecondFactors } from '../../store/second-factors.ts';
import { createSecrets } from '../../store/secrets.ts';
import { createSigningKeys } from '../../store/signing-keys.ts';
import { createUsers } from '../../store/users.ts';
import { demoClientId, demoLogin } from '../../demo/demo-client.ts';
import { isPublic } from '../addresses.ts';
import type { Finding } from './finding.ts';

/** @param now milliseconds since 1970 */
export async function checkAccess(engine: Engine, config: Config, now: number): Promise<readonly Finding[]> {
  const keysFound = await checkKeys(engine, config, now);
  return [
    keysFound,
    // A fault of the key itself is reported only once.
    ...(keysFound.verdict === 'wrong' ? [] : await checkSecretKey(engine, config)),
    ...(await checkDemonstration(engine, config)),
    await checkSomeone(engine),
  ];
}

async function checkKeys(engine: Engine, config: Config, now: number): Promise<Finding> {
  const stored = await createSigningKeys(engine).list();
  const current = stored.filter(({ retiredAt }) => retiredAt === null || retiredAt > now);
  if (current.length === 0) return keys('ok', 'There are no signing keys yet; they are made with the first token.');
  const readable = current.some(({ privateJwk }) => privateJwk.startsWith('{'));
  try {
    const cipher = createCipher(config.secretKey, 'The keys', config.secretKeyPrevious);
    for (const { privateJwk } of current) await cipher.decrypt(privateJwk);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return keys('wrong', error.message, error.remedy);
  }
  if (!readable) return keys('ok', 'The signing keys are there, encrypted, and SECRET_KEY opens them.');
  if (config.secretKey !== null)
    return keys(
      'warning',
      'Signing keys in the database are not encrypted yet, although SECRET_KEY is set.',
      'Restart the server: it encrypts them when it starts.',
    );
  const message = 'The signing keys are there; whoever can read the database, or a backup of it, can make tokens.';
  return isPublic(config)
    ? keys('warning', message, 'Set SECRET_KEY, for instance to the output of: openssl rand -base64 32')
    : keys('ok', message);
}

/** Whether everything is encrypted under SECRET_KEY, during a change of the key and afterwards. */
async function checkSecretKey(engine: Engine, config: Config): Promise<readonly Finding[]> {
  const { secretKey, secretKeyPrevious } = config;
  if (secretKey === null) return [];
  const store = {
    signingKeys: createSigningKeys(engine),
    secrets: createSecrets(engine),
    secondFactors: createSecondFactors(engine),
    carrierAccounts: createCarrierAccounts(engine),
  };
  let counts: readonly EncryptedCount[];
  try {
    counts = await countEncrypted(encryptedPlaces(store, config));
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [keys('wrong', error.message, error.remedy)];
  }
  const left = counts.filter(({ other }) => other > 0).map(({ what, all, other }) => `${other} of ${all} ${what}`);
  if (left.length > 0)
    return [
      keys(
        'warning',
        `Not encrypted under SECRET_KEY yet: ${left.join(', ')}.`,
        `Run: ./logistics-connect secret-key rotate${secretKeyPrevious === null ? ', with SECRET_KEY_PREVIOUS' : ''}`,
      ),
    ];
  if (secretKeyPrevious === null) return [];
  return [
    keys(
      'warning',
      'Nothing in the database is encrypted under SECRET_KEY_PREVIOUS any more.',
      'Take SECRET_KEY_PREVIOUS out of the settings, and restart the server.',
    ),
  ];
}

async function checkDemonstration(engine: Engine, config: Config): Promise<readonly Finding[]> {
  const user = await createUsers(engine).byLogin(demoLogin);
  const client = await createClients(engine).active(demoClientId);
  if ((user === null || user.disabledAt !== null) && client === null) return [];
  if (!isPublic(config))
    return [access('ok', 'The demonstration login can be used; the server is reachable from this machine alone.')];
  return [
    access(
      'wrong',
      'The demonstration login can be used on a server that others can reach.',
      `Run: ./logistics-connect user disable ${demoLogin}; ./logistics-connect client disable ${demoClientId}`,
    ),
  ];
}

async function checkSomeone(engine: Engine): Promise<Finding> {
  const { activities, users, clients } = await countParties(engine);
  const active = (await createClients(engine).list()).filter(({ disabledAt }) => disabledAt === null);
  const services = active.filter(({ service }) => service).length;
  for (const [count, what, command] of [
    [activities, 'activity', 'activity add CODE NAME'],
    // A service needs no user to sign in.
    [users + services, 'user', 'user add LOGIN --activity CODE'],
    [clients, 'client', 'client add NAME --redirect URI --activity CODE'],
  ] as const) {
    if (count === 0)
      return access(
        'warning',
        `There is no ${what} yet, so nobody can read anything.`,
        `Next: ./logistics-connect ${command}`,
      );
  }
  const exempt = active.filter(({ pkceRequired }) => !pkceRequired).length;
  return access(
    'ok',
    textBlock`
      There are activities, ${users > 0 ? 'users ' : ''}and clients. Clients that act for themselves: ${services};
      clients whose sign-ins need no PKCE: ${exempt}.
    `,
  );
}

function keys(verdict: Finding['verdict'], message: string, remedy = ''): Finding {
  return { subject: 'keys', verdict, message, remedy };
}

function access(verdict: Finding['verdict'], message: string, remedy = ''): Finding {
  return { subject: 'access', verdict, message, remedy };
}
