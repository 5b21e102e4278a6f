// What the server tells the console in the page: where the interfaces are, and which client it signs in as.

export interface Settings {
  /** Without a slash at the end, as all addresses here. */
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly platformUrl: string;
  /** Null: no client is registered for the console, or it is disabled. */
  readonly clientId: string | null;
  readonly version: string;
  /** The server has a demonstration. */
  readonly hasDemonstration: boolean;
  /** Of the style elements that the page may have. */
  readonly nonce: string;
}

/** @param root the element that the console is shown in */
export function settingsOf(root: HTMLElement): Settings {
  const { baseUrl = '', authUrl = '', platformUrl = '', clientId = '', version = '', demonstration } = root.dataset;
  return {
    baseUrl,
    authUrl,
    platformUrl,
    clientId: clientId === '' ? null : clientId,
    version,
    hasDemonstration: demonstration === 'true',
    nonce: root.nonce ?? '',
  };
}
