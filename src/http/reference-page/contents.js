// The contents list of the reference page: sections of the introduction, and every operation by its group.

function showContents(page) {
  const list = document.getElementById('contents');
  const description = page.specSelectors.specJson().toJS();
  const { sections } = sectionsOf(description.info.description);
  const guide = sections.map(({ title }) => link(`#${sectionId(title)}`, title));
  const groups = description.tags.map(({ name }) => ({ name, links: operationsOf(description, name) }));
  list.querySelector('div').replaceChildren(
    ...[{ name: 'Guide', links: guide }, ...groups]
      .filter(({ links }) => links.length > 0)
      .map(({ name, links }) => group(name, links)),
  );
  // On a phone the list would fill the first screens.
  list.open = isWide();
  list.hidden = false;
  list.addEventListener('click', (event) => {
    const address = event.target.closest('a')?.getAttribute('href');
    if (address === undefined || address === null) return;
    if (!isWide()) list.open = false;
    show(page, address);
  });
  addEventListener('hashchange', () => show(page, location.hash));
  // The viewer takes the name of a section for a group of operations, and puts a slash before it.
  const section = location.hash.replace(/^#\/?(?=guide-)/, '#');
  if (section.startsWith('#guide-')) {
    history.replaceState(null, '', section);
    show(page, section);
  }
}

function operationsOf({ paths }, tag) {
  return Object.values(paths).flatMap((methods) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, { operationId, summary }]) => link(`#/${tag}/${operationId}`, summary, method.toUpperCase())),
  );
}

function group(title, links) {
  const list = element('ul', links.map((each) => element('li', [each])));
  return element('section', [element('h2', [title]), list]);
}

function link(address, text, method) {
  const anchor = element('a', method === undefined ? [text] : [element('span', [method]), text]);
  anchor.href = address;
  return anchor;
}

function element(name, children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

/**
 * Opens what an address of this page leads to, and scrolls there.
 * @param frames in which it may yet appear: the viewer shows the description piece by piece
 */
function show(page, address, frames = 300) {
  const [, tag, operation] = /^#\/([^/]+)\/([^/]+)$/.exec(decodeURIComponent(address)) ?? [];
  const id = operation === undefined ? address.slice(1) : `operations-${tag}-${operation}`;
  const target = document.getElementById(id);
  if (target === null) {
    if (frames > 0) requestAnimationFrame(() => show(page, address, frames - 1));
    return;
  }
  if (operation === undefined) target.open = true;
  else {
    page.layoutActions.show(['operations-tag', tag], true);
    page.layoutActions.show(['operations', tag, operation], true);
  }
  requestAnimationFrame(() => target.scrollIntoView());
}
