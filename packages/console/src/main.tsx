// Starts the console: completes a returning sign-in, and shows the page of the address.
import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import './console.css';
import { createTheme, MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { AuthorizationError } from '../../client/src/index.ts';
import { App } from './app.tsx';
import { completeSignIn, isReturning } from './session.ts';
import { settingsOf } from './settings.ts';
import { forgetPreviousUsers } from './user-change.ts';

const theme = createTheme({
  // For users with the system's reduced-motion setting, dialogs and menus appear without animation.
  respectReducedMotion: true,
  fontFamily: '"Inter Variable", system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace',
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
});

const root = document.getElementById('console');
if (root !== null) await start(root);

/** The service's description of the fault, and the code by which programs know it. */
function faultText(error: unknown): string {
  return error instanceof AuthorizationError ? `${error.message} (${error.code})` : String(error);
}

async function start(root: HTMLElement): Promise<void> {
  const settings = settingsOf(root);
  const home = new URL(settings.baseUrl).origin;
  // Under another name of the same machine, every request would be cross-origin.
  if (window.location.origin !== home) {
    window.location.replace(`${home}/${window.location.search}${window.location.hash}`);
    return;
  }
  const fault = isReturning() ? await completeSignIn(settings).then(() => null, faultText) : null;
  // The client retries what may be retried, and reports a missing network: nothing waits for one silently.
  const networkMode = 'always';
  const queries = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: 15_000, networkMode }, mutations: { networkMode } },
  });
  forgetPreviousUsers(queries);
  createRoot(root).render(
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => settings.nonce}>
      <QueryClientProvider client={queries}>
        <App settings={settings} fault={fault} />
      </QueryClientProvider>
    </MantineProvider>,
  );
}
