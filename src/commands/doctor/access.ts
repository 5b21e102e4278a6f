// Checks who can get in: signing keys, demonstration credentials, and whether anyone can sign in at all.
import { createCipher } from '../../auth/cipher.ts';
import type { Config } from '../../config.ts';
import { OperatorError } from '../../model/operator-error.ts';
import type { Engine } from '../../store/engine.ts';
import { demoClientId, demoLogin } from '../demonstration.ts';
import { isPublic } from '../addresses.ts';
import type { Finding } from './finding.ts';

/** @param now milliseconds since 1970 */
export async function checkAccess(engine: Engine, config: Config, now: number): Promise<readonly Finding[]> {
  return [
    await checkKeys(engine, config, now),
    ...(await checkDemonstration(engine, config)),
    await checkSomeone(engine),
  ];
}

async function checkKeys(engine: Engine, config: Config, now: number): Promise<Finding> {
  const rows = await engine.db.selectFrom('signing_key').select(['private_jwk', 'retired_at']).execute();
  const current = rows.filter(({ retired_at }) => retired_at === null || Number(retired_at) > now);
  if (current.length === 0) return keys('ok', 'There are no signing keys yet; they are made with the first token.');
  const readable = current.some(({ private_jwk }) => private_jwk.startsWith('{'));
  try {
    const cipher = createCipher(config.secretKey);
    for (const { private_jwk } of current) await cipher.decrypt(private_jwk);
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

async function checkDemonstration(engine: Engine, config: Config): Promise<readonly Finding[]> {
  const user = await engine.db
    .selectFrom('user_account')
    .select('login')
    .where('login', '=', demoLogin)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  const client = await engine.db
    .selectFrom('oauth_client')
    .select('id')
    .where('id', '=', demoClientId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (user === undefined && client === undefined) return [];
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
  for (const [table, what, command] of [
    ['activity', 'activity', 'activity add CODE NAME'],
    ['user_account', 'user', 'user add LOGIN --activity CODE'],
    ['oauth_client', 'client', 'client add NAME --redirect URI --activity CODE'],
  ] as const) {
    const { count } = await engine.db
      .selectFrom(table)
      .select((select) => select.fn.countAll().as('count'))
      .executeTakeFirstOrThrow();
    if (Number(count) === 0)
      return access(
        'warning',
        `There is no ${what} yet, so nobody can read anything.`,
        `Next: ./logistics-connect ${command}`,
      );
  }
  return access('ok', 'There are activities, users and clients.');
}

function keys(verdict: Finding['verdict'], message: string, remedy = ''): Finding {
  return { subject: 'keys', verdict, message, remedy };
}

function access(verdict: Finding['verdict'], message: string, remedy = ''): Finding {
  return { subject: 'access', verdict, message, remedy };
}
