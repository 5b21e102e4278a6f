// What the server tells the console in the page: the addresses of the interfaces, and the client under which it signs
// in.

export interface Settings {
  /** Without a slash at the end, like all addresses here. */
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly platformUrl: string;
  /** Null: no client is registered for the console, or it is disabled. */
  readonly clientId: string | null;
  readonly version: string;
  /** The codes of units, such as `kg`, by what they measure. */
  readonly units: Readonly<Record<string, string>>;
  /** The server has a demonstration. */
  readonly hasDemonstration: boolean;
  /** For the style elements that the page may have. */
  readonly nonce: string;
}

/** @param root the element that contains the console */
export function settingsOf(root: HTMLElement): Settings {
  const { baseUrl = '', authUrl = '', platformUrl = '', clientId = '', version = '' } = root.dataset;
  return {
    baseUrl,
    authUrl,
    platformUrl,
    clientId: clientId === '' ? null : clientId,
    version,
    units: JSON.parse(root.dataset.units ?? '{}'),
    hasDemonstration: root.dataset.demonstration === 'true',
    nonce: root.nonce ?? '',
  };
}
