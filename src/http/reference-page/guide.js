// A plugin of the viewer: shows the introduction of the description section by section, closed until its reader opens
// them, so that the operations are near; where there is room, the first is open.

/** Title and text of each section of a Markdown text, and what stands before the first. */
function sectionsOf(markdown) {
  const [lead, ...rest] = markdown.split(/^## /m);
  return {
    lead,
    sections: rest.map((text) => {
      const end = text.indexOf('\n');
      return { title: text.slice(0, end).trim(), body: text.slice(end) };
    }),
  };
}

/** Whether the contents list stands beside the text; the same width as in page.css. */
function isWide() {
  return matchMedia('(min-width: 68rem)').matches;
}

/** Where a section is on the page. */
function sectionId(title) {
  return `guide-${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
}

function guideSections() {
  return {
    wrapComponents: {
      Markdown: (Original, { React }) => (properties) => {
        const { lead, sections } = sectionsOf(properties.source ?? '');
        const shown = (source) => React.createElement(Original, { ...properties, source });
        // Other texts of the description have no headings of this kind.
        if (sections.length === 0) return shown(properties.source);
        return React.createElement(
          'div',
          { className: 'guide' },
          shown(lead),
          ...sections.map(({ title, body }, index) =>
            React.createElement(
              'details',
              { id: sectionId(title), key: title, open: index === 0 && isWide() },
              React.createElement('summary', null, React.createElement('h2', null, title)),
              shown(body),
            ),
          ),
        );
      },
    },
  };
}
