// Gives the viewer's own controls what they lack for whoever does not see the page or has no mouse: names of selections,
// and a way into texts that scroll.

function nameOf(selection) {
  if (selection.id === 'servers') return 'Server';
  const parameter = selection.closest('tr[data-param-name]');
  if (parameter !== null) return parameter.dataset.paramName;
  return selection.closest('.examples-select') === null ? 'Media type' : 'Example';
}

function completeControls(root) {
  for (const selection of root.querySelectorAll('select:not([aria-label])'))
    selection.setAttribute('aria-label', nameOf(selection));
  for (const text of root.querySelectorAll('pre:not([tabindex])')) text.tabIndex = 0;
}

function keepControlsComplete(root) {
  completeControls(root);
  new MutationObserver(() => completeControls(root)).observe(root, { childList: true, subtree: true });
}

/** A plugin of the viewer: the path of an operation is not a link, because it stands in a button that opens it. */
function plainPaths() {
  return {
    wrapComponents: {
      DeepLink: (Original, { React }) => (properties) =>
        properties.path?.includes('/') ? React.createElement('span', null, properties.text) : React.createElement(Original, properties),
    },
  };
}
