// Checks the address that the server listens on, and whether the published addresses match it.
import { textBlock } from '../../model/text-block.ts';
import { createServer } from 'node:net';
import type { Config } from '../../config.ts';
import { isLoopback, isPublic } from '../addresses.ts';
import { askServer, serverAddress } from '../own-server.ts';
import type { Finding } from './finding.ts';
import type { StorageState } from './storage.ts';

export async function checkAddresses(
  config: Config,
  storage: Pick<StorageState, 'isAbsent'>,
): Promise<readonly Finding[]> {
  return [await checkPort(config, storage), ...checkPublicAddresses(config)];
}

async function checkPort(config: Config, { isAbsent }: Pick<StorageState, 'isAbsent'>): Promise<Finding> {
  const place = `${config.host}:${config.port}`;
  const failure = await tryToListen(config);
  if (failure === null && config.port === 0)
    return finding('ok', `The server takes a free port of ${config.host} when it starts.`);
  if (failure === null) return finding('ok', `The server is not running; ${place} is free for it.`);
  if (failure === 'EADDRINUSE') {
    if (await answersAsServer(config))
      return isAbsent === true ? otherDatabase(config, place) : finding('ok', `The server answers on ${place}.`);
    return finding('wrong', `Another program uses ${place}.`, 'Stop it, or set PORT to another port.');
  }
  if (failure === 'EACCES')
    return finding(
      'wrong',
      `This user may not listen on port ${config.port}.`,
      'Set PORT to 1024 or more, and put a reverse proxy in front.',
    );
  if (failure === 'EADDRNOTAVAIL' || failure === 'ENOTFOUND')
    return finding(
      'wrong',
      `${config.host} is no address of this machine.`,
      'Set HOST to 127.0.0.1, to 0.0.0.0, or to an address of this machine.',
    );
  return finding('wrong', `Nothing can listen on ${place}: ${failure}.`, 'Check HOST and PORT.');
}

/** A server has made its database by the time it answers. */
function otherDatabase({ dataDir }: Config, place: string): Finding {
  return finding(
    'warning',
    textBlock`
      A server answers on ${place}, but there is no database in ${dataDir}: it uses another one, and commands with these
      settings would make a new one.
    `,
    textBlock`
      Name the settings file of the server with --config FILE, or set DATA_DIR, DATABASE_URL or DATABASE_URL_FILE as the
      server has them.
    `,
  );
}

/** The error code, or null. */
function tryToListen({ host, port }: Config): Promise<string | null> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => done(null)));
  });
}

async function answersAsServer(config: Config): Promise<boolean> {
  try {
    const { status, headers } = await askServer(serverAddress(config, '/healthz'), 2_000);
    return status === 200 && headers['x-request-id'] !== undefined;
  } catch {
    return false;
  }
}

function checkPublicAddresses(config: Config): readonly Finding[] {
  const findings: Finding[] = [];
  const addresses = [
    ['BASE_URL', config.baseUrl],
    ['AUTH_URL', config.authUrl],
  ] as const;
  const missing = addresses.filter(([, address]) => address === null).map(([name]) => name);
  if (missing.length > 0 && isPublic(config))
    findings.push(
      finding(
        'warning',
        textBlock`
          Others can reach the server, but ${missing.join(' and ')} still lead${missing.length === 1 ? 's' : ''} to
          localhost.
        `,
        `Set ${missing.join(' and ')} to what clients use.`,
      ),
    );
  for (const [name, address] of addresses) {
    if (address === null) continue;
    const { protocol, hostname } = new URL(address);
    if (protocol === 'http:' && !isLoopback(hostname))
      findings.push(
        finding(
          'warning',
          `${name} is ${address}: tokens and passwords travel unencrypted.`,
          `Put TLS in front, and set ${name} to https://…`,
        ),
      );
  }
  const encrypted = [...addresses, ['PLATFORM_URL', config.platformUrl] as const].filter(([, address]) =>
    address?.startsWith('https:'),
  );
  if (encrypted.length > 0 && config.trustProxy.length === 0) {
    const names = encrypted.map(([name]) => name).join(' and ');
    findings.push(
      finding(
        'warning',
        textBlock`
          Clients come over https (${names}), so through a proxy, but TRUST_PROXY names none: all of them look like one
          address, and what one does wrong slows or locks out the others; logs and audit trail name the proxy.
        `,
        textBlock`
          Set TRUST_PROXY to the address from which the proxy connects, such as 127.0.0.1, and see that the proxy sets
          X-Forwarded-For.
        `,
      ),
    );
  }
  if (findings.length === 0)
    findings.push(
      finding(
        'ok',
        config.baseUrl === null
          ? 'Addresses are those of localhost; only this machine can use the server.'
          : `Clients use ${config.baseUrl}.`,
      ),
    );
  return findings;
}

function finding(verdict: Finding['verdict'], message: string, remedy = ''): Finding {
  return { subject: 'addresses', verdict, message, remedy };
}
