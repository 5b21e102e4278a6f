// The libraries bundled into the web console, as components of the bill of materials: they are not installed, but they
// run.
import { readFileSync } from 'node:fs';

interface Component {
  readonly 'bom-ref': string;
  readonly type: 'library';
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly { readonly license: { readonly id: string } }[];
  readonly hashes?: readonly { readonly alg: 'SHA-512'; readonly content: string }[];
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly integrity?: string; readonly license?: string }>
  >;
}

const root = new URL('../', import.meta.url);
/** Bundled without a script of their own, so the bundler does not list them. */
const fonts = ['@fontsource-variable/inter'];

/** The libraries listed in `packages/console/dist/licences.md`, and the fonts. */
export function consoleLibraries(): readonly Component[] {
  const licences = readFileSync(new URL('packages/console/dist/licences.md', root), 'utf8');
  const { packages }: Lock = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'));
  const named = [...licences.matchAll(/^## (\S+) - (\S+) \((.+)\)$/gm)].map(
    ([, name = '', version = '', licence = '']) =>
      componentOf(name, version, licence, packages[`node_modules/${name}`]),
  );
  const fontComponents = fonts.map((name) => {
    const locked = packages[`node_modules/${name}`];
    return componentOf(name, locked?.version ?? '', locked?.license ?? '', locked);
  });
  return [...named, ...fontComponents];
}

function componentOf(
  name: string,
  version: string,
  licence: string,
  locked: Lock['packages'][string] | undefined,
): Component {
  const [, hash] = /^sha512-(.+)$/.exec((locked?.version === version && locked.integrity) || '') ?? [];
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ license: { id: licence } }],
    ...(hash !== undefined && { hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] }),
  };
}
