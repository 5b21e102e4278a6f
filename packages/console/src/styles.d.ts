// Style sheets and fonts are imported for what they do to the page.
declare module '*.css';

// A file as text.
declare module '*?raw' {
  const text: string;
  export default text;
}
