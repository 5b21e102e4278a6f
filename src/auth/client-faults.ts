// Which clients may be registered: their names, their redirect addresses, and valid combinations.
import { textBlock } from '../model/text-block.ts';
import type { NewClient } from './clients.ts';
import { classifyRedirect } from './redirect.ts';
import { nameFaults } from './registered-name.ts';

const maxRedirects = 20;
const whyNamed = 'A client needs a name: people see it when they are asked for consent.';

/** The faults of a client, as sentences, as far as they can be found without the database. */
export function clientFaults(wanted: NewClient): readonly string[] {
  const faults = [...nameFaults(wanted.name, whyNamed), ...redirectFaults(wanted), ...kindFaults(wanted)];
  if (wanted.activityCodes.length === 0 && (wanted.platform !== true || wanted.service === true))
    faults.push('A client needs at least one activity.');
  if (wanted.platform === true && wanted.redirectUris.length === 0)
    faults.push('People let a client act at the platform interface: add --redirect, or leave out --platform.');
  return faults;
}

function kindFaults({ confidential, service, pkceRequired }: NewClient): string[] {
  if (confidential) return [];
  return [
    ...(service === true ? ['A service proves who it is by a secret: a public client cannot be one.'] : []),
    ...(pkceRequired === false
      ? ['PKCE is all that protects the codes of a public client: add --confidential, or leave out --no-pkce.']
      : []),
  ];
}

function redirectFaults({ redirectUris, confidential, service }: NewClient): string[] {
  if (redirectUris.length === 0)
    return service === true ? [] : ['A client needs at least one redirect address, unless it is a service.'];
  if (redirectUris.length > maxRedirects) return [`A client has at most ${maxRedirects} redirect addresses.`];
  const verdicts = redirectUris.map((address) => ({ address, ...classifyRedirect(address) }));
  const faults = verdicts.flatMap(({ fault }) => (fault === null ? [] : [`The redirect address ${fault}`]));
  if (confidential && verdicts.some(({ address, kind }) => kind === 'native' && !address.startsWith('http:'))) {
    faults.push(
      textBlock`
        A program with a scheme of its own runs on its users' devices and cannot keep a secret: leave out
        --confidential.
      `,
    );
  }
  // The authorization server treats a client with a native address as a native client, and those may not have such an
  // address.
  if (verdicts.some(({ kind }) => kind === 'native') && verdicts.some(({ kind }) => kind === 'web-loopback')) {
    faults.push(
      textBlock`
        Redirect addresses of https on this machine do not go together with http on this machine or a scheme of its own:
        register two clients.
      `,
    );
  }
  return faults;
}
