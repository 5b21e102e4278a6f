// Starts the reference page: reads the description that lies beside it, and lets its reader sign in and try requests.
const page = SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [localReferences, guideSections, plainPaths],
  onComplete: () => {
    showContents(page);
    fillInOwnTokens(page);
  },
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 2,
  showCommonExtensions: true,
  displayRequestDuration: true,
  // A page of articles would take the browser half a minute.
  syntaxHighlight: false,
  oauth2RedirectUrl: new URL('docs/oauth2-redirect.html', location.href).href,
  // Otherwise the description is sent to an outside host, which checks it.
  validatorUrl: null,
});
keepControlsComplete(document.getElementById('reference'));
page.initOAuth({
  // The demonstration's; elsewhere the reader types the id of a client.
  clientId: document.getElementById('reference').dataset.clientId ?? '',
  scopes: 'svc_connect',
  usePkceWithAuthorizationCodeGrant: true,
});

// The viewer is dark under this class.
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const setScheme = () => document.documentElement.classList.toggle('dark-mode', prefersDark.matches);
prefersDark.addEventListener('change', setScheme);
setScheme();
