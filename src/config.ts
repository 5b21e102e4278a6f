// The settings as the program uses them, read from the environment.
import { fileVariable, givenText } from './config/secret-files.ts';
import { type Setting, SettingFault, type SettingKind } from './config/setting-kinds.ts';
import { settings } from './config/settings.ts';
import type { Addresses } from './http/route.ts';
import { OperatorError } from './model/operator-error.ts';

type Settings = typeof settings;

/** By the names of the table: the parsed value of each setting; null when it is not set and has no default. */
export type Config = {
  readonly [Name in keyof Settings]: Settings[Name]['kind'] extends SettingKind<infer T>
    ? T | (Settings[Name]['default'] extends null ? null : never)
    : never;
};

/**
 * Reads the settings. A variable that is empty or blank counts as missing. A secret may be in a file that `NAME_FILE`
 * names.
 * @param environment variables by name
 * @param folder that relative folders are relative to
 * @throws OperatorError that lists every invalid variable
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>, folder: string): Config {
  const faults: string[] = [];
  const values = Object.entries(settings).map(([key, setting]: [string, Setting]) => {
    const { name, kind, default: standard } = setting;
    try {
      const text = givenText(setting, environment, folder) ?? standard;
      return [key, text === null ? null : kind.parse(text, folder)];
    } catch (error) {
      if (!(error instanceof SettingFault)) throw error;
      faults.push(`${name} ${error.message}`);
      return [key, null];
    }
  });
  // The compiler cannot track the names through a list of entries.
  const config: Config = Object.fromEntries(values);
  if (faults.length === 0) faults.push(...contradictions(config));
  if (faults.length > 0)
    throw new OperatorError(`${faults.join('; ')}.`, 'Every setting is explained by: ./logistics-connect serve --help');
  return config;
}

/** Faults in the combination of settings that are individually valid. */
function contradictions(config: Config): readonly string[] {
  const { baseUrl, platformUrl } = addressesAt(config, config.port);
  return [
    ...(config.builtInIssuer || config.trustedIssuers.length > 0
      ? []
      : ['BUILT_IN_ISSUER is off and TRUSTED_ISSUERS names nobody else, so nobody could sign in']),
    ...(config.secretKeyPrevious !== null && config.secretKey === null
      ? ['SECRET_KEY_PREVIOUS is set and SECRET_KEY is not: SECRET_KEY must be the passphrase from now on']
      : []),
    // One server serves both, and does not distinguish hosts.
    ...(pathOf(baseUrl) === pathOf(platformUrl)
      ? ['PLATFORM_URL and BASE_URL must have different paths, also on different hosts, such as /platform and /v1']
      : []),
  ];
}

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '');
}

/** Public addresses of the program's interfaces, without a slash at the end. */
export interface PublicAddresses extends Addresses {
  readonly platformUrl: string;
}

/** The public addresses according to the settings; by default, those of a server on this machine. */
export function addressesAt(
  config: Pick<Config, 'baseUrl' | 'authUrl' | 'platformUrl'>,
  port: number,
): PublicAddresses {
  const local = `http://localhost:${port}`;
  const baseUrl = config.baseUrl ?? `${local}/v1`;
  return {
    baseUrl,
    authUrl: config.authUrl ?? local,
    platformUrl: config.platformUrl ?? `${new URL(baseUrl).origin}/platform`,
  };
}

/** Time limits for carriers: for one answer, and for a whole request. */
export function carrierTimes({ carrierAnswerSeconds, carrierTotalSeconds }: Config): {
  readonly callTimeoutMs: number;
  readonly exchangeTimeoutMs: number;
} {
  return { callTimeoutMs: carrierAnswerSeconds * 1000, exchangeTimeoutMs: carrierTotalSeconds * 1000 };
}

/** The settings as lines of help: name, meaning, default and bounds. All of them, or only the given ones. */
export function settingsHelp(wanted?: readonly (keyof Settings)[]): string {
  const shown: readonly Setting[] =
    wanted === undefined ? Object.values(settings) : wanted.map((name) => settings[name]);
  const width = Math.max(...shown.map((setting) => setting.name.length)) + 2;
  return shown
    .map((setting) => {
      const { name, kind, default: standard, meaning } = setting;
      const variable = fileVariable(setting);
      const facts = [standard, kind.range, variable === null ? '' : `or ${variable}=PATH`]
        .filter((fact) => fact !== null && fact !== '')
        .join('; ');
      return `  ${name.padEnd(width)}${meaning}${facts === '' ? '' : ` (${facts})`}`;
    })
    .join('\n');
}
