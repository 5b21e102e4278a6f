// Fills in the token of whoever is signed in at the console, which is on the same host: of its sign-in to the client
// interface, or on the page of the platform interface of that to the pages for operators.

/** The name of a sign-in in the browser's storage, by the scheme of the description that takes its token. */
const consoleSignIns = { bearer: 'console-tokens', platformKey: 'console-operator-tokens' };

/** The access token of a sign-in; null: nobody is signed in, or it has ended. */
function ownToken(stored) {
  try {
    const { accessToken, expiresAt } = JSON.parse(stored ?? 'null') ?? {};
    return typeof accessToken === 'string' && expiresAt > Date.now() ? accessToken : null;
  } catch {
    return null;
  }
}

/** Fills tokens in now, and again when the console gets a newer one; takes back what it filled in at a sign-out. */
function fillInOwnTokens(page) {
  const { securitySchemes = {} } = page.specSelectors.specJson().toJS().components;
  for (const [scheme, name] of Object.entries(consoleSignIns)) {
    if (!Object.hasOwn(securitySchemes, scheme)) continue;
    let filled = null;
    const fill = () => {
      const entered = page.authSelectors.authorized().getIn([scheme, 'value']) ?? null;
      // What the reader has entered or taken away is theirs.
      if (entered !== filled) return;
      const token = ownToken(localStorage.getItem(name));
      if (token === filled) return;
      if (token === null) page.authActions.logout([scheme]);
      else page.preauthorizeApiKey(scheme, token);
      filled = token;
      tellOfOwnToken(token !== null);
    };
    fill();
    addEventListener('storage', fill);
    // It may have ended meanwhile.
    addEventListener('focus', fill);
  }
}

/** Says so above the description. */
function tellOfOwnToken(isFilled) {
  document.getElementById('own-token')?.remove();
  if (!isFilled) return;
  const text = document.createElement('p');
  text.id = 'own-token';
  text.setAttribute('role', 'status');
  text.textContent = 'Requests that you try here are sent with the token of your sign-in at the console.';
  document.getElementById('reference').before(text);
}
