// Style sheets and fonts are imported for what they do to the page.
declare module '*.css';
