// Checks the document storage: the folder or the S3 store, whether it can be used, and whether it belongs to this
// database.
import { access, constants, readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { documentsFolder, s3Settings } from '../../documents/open.ts';
import { markName } from '../../documents/ownership.ts';
import { OperatorError } from '../../model/operator-error.ts';
import type { Engine } from '../../store/engine.ts';
import { createSecrets } from '../../store/secrets.ts';
import type { Finding } from './finding.ts';
import { nearestFolder } from './nearest-folder.ts';
import { unwritable } from './unwritable.ts';

/**
 * @param engine null when there is no database yet, or none that can be used
 * @param now milliseconds since 1970
 */
export async function checkDocuments(engine: Engine | null, config: Config, now: number): Promise<readonly Finding[]> {
  const folder = documentsFolder(config);
  const arriving = await checkFolder(folder, config);
  if (arriving !== null) return [arriving];
  const database = engine === null ? null : await createSecrets(engine).read('epoch');
  if (config.documentsUrl !== null) return [await checkStore(config, config.documentsUrl, database, now)];
  const mark = await readFile(join(folder, markName), 'utf8').catch(() => null);
  return [foreign(mark?.trim() ?? null, database, folder) ?? finding('ok', `Documents are kept in ${folder}.`)];
}

/** Documents arrive in this folder, wherever they are kept later. Null when nothing is wrong. */
async function checkFolder(folder: string, { databaseUrl }: Config): Promise<Finding | null> {
  const nearest = nearestFolder(folder);
  try {
    if (!(await stat(nearest)).isDirectory())
      return finding(
        'wrong',
        `${nearest} is no folder, so documents cannot be taken.`,
        'Move it away, or set DATA_DIR to another folder.',
      );
    await access(nearest, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return { subject: 'documents', ...unwritable(nearest, error, 'where documents arrive') };
  }
  // With the embedded database, its own check reports the free space.
  const { bavail, bsize } = await statfs(nearest);
  if (databaseUrl === null || bavail * bsize >= leastSpace) return null;
  return finding(
    'warning',
    `Only ${((bavail * bsize) / 2 ** 20).toFixed(0)} MB are free for documents in ${folder}.`,
    'Make room, or set DATA_DIR to a larger disk.',
  );
}

/** Bytes: room for several dozen of the largest documents. */
const leastSpace = 2 ** 30;

async function checkStore(config: Config, url: string, database: string | null, now: number): Promise<Finding> {
  try {
    const { place, key } = s3Settings(config, url);
    const { checkS3 } = await import('../../documents/s3-check.ts');
    const verdict = await checkS3(place, key, now);
    const at = place.endpoint === null ? `in ${place.region}` : `at ${place.endpoint}`;
    const where = `the bucket ${place.bucket} ${at}`;
    if (!verdict.ok) return refusal(verdict, where);
    return foreign(verdict.database, database, where) ?? finding('ok', `Documents can be kept in ${where}.`);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return finding('wrong', error.message, error.remedy);
  }
}

function foreign(mark: string | null, database: string | null, where: string): Finding | null {
  if (mark === null || mark === '' || mark === database) return null;
  if (database === null)
    return finding(
      'warning',
      `The documents in ${where} belong to a database, and here is none that could be read.`,
      'Check DATA_DIR, DATABASE_URL and DOCUMENTS_URL; see "Sweeping" in docs/documents.md.',
    );
  return finding(
    'wrong',
    `The documents in ${where} belong to another database, so files that nothing refers to are not removed.`,
    'Give each database a folder or prefix of its own; after a move, see "Sweeping" in docs/documents.md.',
  );
}

type Refused = Extract<
  Awaited<ReturnType<typeof import('../../documents/s3-check.ts').checkS3>>,
  { readonly ok: false }
>;

/** Error names of S3 and its imitators that concern the key itself rather than its permissions. */
const keyErrors = [
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'InvalidSecurity',
  'TokenRefreshRequired',
  'Unauthorized',
];
const regionErrors = ['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException'];

function refusal({ step, failure }: Refused, where: string): Finding {
  const { name, code, status, message } = failure;
  const said = [name, code, status, message].filter((part) => part !== null && part !== '').join(' ');
  if (name === 'CredentialsProviderError')
    return finding(
      'wrong',
      `There is no key for ${where}.`,
      'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role.',
    );
  if (status === null)
    return finding(
      'wrong',
      `The document store does not answer: ${where}: ${said}.`,
      'Check endpoint= in DOCUMENTS_URL, the network, and that the store runs.',
    );
  if (name === 'RequestTimeTooSkewed')
    return finding(
      'wrong',
      `The clocks of this machine and of the store disagree: ${said}.`,
      'Keep the clock of this machine in step with NTP.',
    );
  if (keyErrors.includes(name) || status === 401)
    return finding(
      'wrong',
      `The document store refuses the key for ${where}: ${said}.`,
      'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.',
    );
  if (regionErrors.includes(name) || (status >= 300 && status < 400))
    return finding(
      'wrong',
      `${where} is in another region: ${said}.`,
      'Set region= in DOCUMENTS_URL to the region of the bucket.',
    );
  if (name === 'NoSuchBucket' || status === 404)
    return finding('wrong', `There is no such bucket: ${where}.`, 'Make it, or name another one in DOCUMENTS_URL.');
  if (status === 403)
    return finding(
      'wrong',
      `The key lacks a permission for ${where}: ${said}.`,
      `Give it ${step}; docs/documents.md lists all that it needs.`,
    );
  return finding(
    'wrong',
    `The document store fails: ${where}: ${said}.`,
    'Look into the log of the store; docs/documents.md says what it has to do.',
  );
}

function finding(verdict: Finding['verdict'], message: string, remedy = ''): Finding {
  return { subject: 'documents', verdict, message, remedy };
}
