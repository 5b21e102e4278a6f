// Checks the database: reachable, of this version, writable, with free space, and with a consistent clock.
import { textBlock } from '../../model/text-block.ts';
import { existsSync } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import type { Config } from '../../config.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { rightsRemedy } from '../../store/database-rights.ts';
import type { Engine } from '../../store/engine.ts';
import { appliedSteps, lastWrite, writeObstacle } from '../../store/inspection.ts';
import { compareSteps, unfinishedRemedy, unfinishedText } from '../../store/migrate.ts';
import { migrations } from '../../store/migrations/index.ts';
import { databaseFile, openEngine } from '../../store/open.ts';
import type { Finding } from './finding.ts';
import { nearestFolder } from './nearest-folder.ts';
import { unwritable } from './unwritable.ts';

/** `engine` is open, or null when the checks that need it would be pointless. */
export interface StorageState {
  readonly findings: readonly Finding[];
  readonly engine: Engine | null;
  /** There is no database yet; the next command that writes would make one. */
  readonly isAbsent?: true;
}

export async function checkStorage(config: Config, now: () => number): Promise<StorageState> {
  const findings = config.databaseUrl === null ? await checkFolder(config.dataDir) : [];
  if (findings.some(({ verdict }) => verdict === 'wrong')) return { findings, engine: null };
  if (config.databaseUrl === null && !existsSync(databaseFile(config))) {
    return {
      findings: [
        ...findings,
        finding('ok', `There is no database in ${config.dataDir} yet; it is made at the first start.`),
      ],
      engine: null,
      isAbsent: true,
    };
  }
  let engine: Engine;
  try {
    engine = await openEngine(config, now);
  } catch (error) {
    return { findings: [...findings, refusal(error, 'The database cannot be opened')], engine: null };
  }
  try {
    const version = await checkVersion(engine);
    const usable = version.verdict === 'ok';
    const rest = [version, await checkWriting(engine), ...(usable ? [await checkClock(engine, now())] : [])];
    if (!usable) await engine.close();
    return { findings: [...findings, ...rest], engine: usable ? engine : null };
  } catch (error) {
    await engine.close();
    return { findings: [...findings, refusal(error, 'The database cannot be read')], engine: null };
  }
}

const gigabyte = 2 ** 30;
/** With less, the next large import may not fit; with a tenth of it, nothing does. */
const comfortableSpace = 2 * gigabyte;
/** Types of network file systems (statfs(2)) on which SQLite's shared memory does not work: NFS, SMB, CIFS, SMB2. */
const networkFileSystems: ReadonlySet<number> = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42]);
const groupAndOthers = 0o077;

async function checkFolder(dataDir: string): Promise<readonly Finding[]> {
  const folder = nearestFolder(dataDir);
  const exists = folder === dataDir;
  const found = await stat(folder);
  if (!found.isDirectory()) return [finding('wrong', `${folder} is no folder.`, 'Set DATA_DIR to a folder.')];
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return [{ subject: 'storage', ...unwritable(folder, error, null) }];
  }
  const { bavail, bsize, type } = await statfs(folder);
  if (networkFileSystems.has(type))
    return [
      finding(
        'wrong',
        `${folder} is on a network file system, where the embedded database can be damaged.`,
        'Set DATA_DIR to a local disk, or use PostgreSQL with DATABASE_URL.',
      ),
    ];
  const free = bavail * bsize;
  const space = `${(free / gigabyte).toFixed(1)} GB are free for ${dataDir}.`;
  const findings = [
    free < comfortableSpace
      ? finding(
          free < comfortableSpace / 10 ? 'wrong' : 'warning',
          `Only ${space}`,
          'Make room, or set DATA_DIR to a larger disk.',
        )
      : finding('ok', space),
  ];
  if (exists && (found.mode & groupAndOthers) !== 0)
    findings.push(
      finding(
        'warning',
        `Other users of this machine may look into ${dataDir}, which holds signing keys and personal data.`,
        `chmod 700 ${dataDir}`,
      ),
    );
  return findings;
}

async function checkVersion(engine: Engine): Promise<Finding> {
  const { steps: applied, isEmpty } = await appliedSteps(engine);
  if (applied.length === 0) {
    if (!isEmpty)
      return finding(
        'warning',
        'The database holds tables of another program.',
        'Use a database, or a PostgreSQL schema, of its own.',
      );
    return finding(
      'warning',
      'The database is empty.',
      'Nothing to do: the server makes its tables when it starts; or run: ./logistics-connect migrate',
    );
  }
  const { missing, unknown, builtUpTo } = compareSteps(applied);
  if (unknown.length > 0)
    return finding(
      'wrong',
      `The database is newer than this program: it has the step ${unknown.join(', ')}.`,
      'Run the version of the program that wrote it, or a later one.',
    );
  if (builtUpTo !== null) return finding('wrong', unfinishedText(builtUpTo), unfinishedRemedy);
  if (missing.length > 0)
    return finding(
      'warning',
      `The database is older than this program: it lacks ${missing.join(', ')}.`,
      'Back it up, then start the server, or run: ./logistics-connect migrate',
    );
  const kind = engine.dialect === 'sqlite' ? 'embedded' : 'PostgreSQL';
  return finding('ok', `The ${kind} database answers, at version ${migrations.at(-1)?.name}.`);
}

async function checkWriting(engine: Engine): Promise<Finding> {
  let obstacle: Awaited<ReturnType<typeof writeObstacle>>;
  try {
    obstacle = await writeObstacle(engine);
  } catch (error) {
    return refusal(error, 'The database cannot be written');
  }
  if (obstacle === null) return finding('ok', 'The database takes writes, with text in UTF-8.');
  if (obstacle.kind === 'read-only')
    return finding(
      'wrong',
      'The database takes no writes: it is a standby, or set read-only.',
      'Point DATABASE_URL at the primary server.',
    );
  if (obstacle.kind === 'no-tables')
    return finding(
      'wrong',
      obstacle.schema === null
        ? 'The search_path of the login names no schema that exists, so the server cannot make its tables.'
        : `The login of DATABASE_URL may not make tables in the schema ${obstacle.schema}.`,
      rightsRemedy,
    );
  return finding(
    'wrong',
    `The database keeps text as ${obstacle.encoding}, not as UTF-8.`,
    'Restore a database that this program made.',
  );
}

const toleratedMs = 5_000;

/**
 * Writes are dated by the database's clock, tokens by the machine's: both must agree, and neither may be earlier than
 * the last write.
 */
async function checkClock(engine: Engine, now: number): Promise<Finding> {
  const database = await engine.now();
  const apart = Math.abs(database - now);
  if (apart > toleratedMs)
    return {
      subject: 'clock',
      verdict: 'wrong',
      message: `The clocks of this machine and of the database are ${Math.round(apart / 1000)} seconds apart.`,
      remedy: 'Keep both in step with NTP.',
    };
  const last = (await lastWrite(engine)) ?? now;
  const aheadMs = last - now;
  if (aheadMs > toleratedMs)
    return {
      subject: 'clock',
      verdict: 'wrong',
      message: textBlock`
        The clock was set back: the last write is dated ${new Date(last).toISOString()},
        ${Math.round(aheadMs / 1000)} seconds ahead.
      `,
      remedy: 'Set the clock right; keep it in step with NTP.',
    };
  return { subject: 'clock', verdict: 'ok', message: `It is ${new Date(now).toISOString()}.`, remedy: '' };
}

function finding(verdict: Finding['verdict'], message: string, remedy = ''): Finding {
  return { subject: 'storage', verdict, message, remedy };
}

function refusal(error: unknown, what: string): Finding {
  if (error instanceof OperatorError) return finding('wrong', error.message, error.remedy);
  return finding(
    'wrong',
    `${what}: ${error instanceof Error ? error.message : String(error)}.`,
    'Check that the disk has room and that this user may write to the database and its folder.',
  );
}
